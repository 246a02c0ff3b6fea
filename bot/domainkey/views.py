"""Draw the answer to /domainkey, and the first steps after the first key. Pure; never a key."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from bot.access.permissions import DEFAULT_AUDIENCES
from bot.access.views import audiences_text, managers_text
from bot.blocks.builders import (
    actions,
    button,
    confirm,
    context,
    fields,
    message_of,
    plain_message,
    run_button,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import KEYS_PAGE, code, day_token, moment_token, plural
from bot.digests.views.wording import DIGEST_HERE, MAKE_DIGEST
from bot.dispatch.commands import COMMANDS, Audience
from bot.keys.key_record import COUNTDOWN_DAYS, EarlierKey, KeyPair, KeyRecord
from bot.keys.views import CHECK_KEY, SET_KEY, expiry_words, label_text, left_text
from bot.scans.bulk_record import MAX_DOMAINS
from bot.scans.bulk_views import NEVER_SCANNED, START_ALL, price_text, scan_all_label
from bot.scans.nightly import NIGHT_HOURS, Nights, nights_each
from bot.tracker.rate_limit import Allowance

REMOVE_KEY, ROLL_BACK = "key.remove", "key.back"
NAME_MANAGERS, SHOW_HISTORY = "key.managers", "key.history"
CHOOSE_AUDIENCES, TURN_NIGHTS = "key.audiences", "key.nights"
_ALARMING_DAYS = 3
# The values of the button that turns nightly scans on or off.
TURNED_ON, TURNED_OFF = "on", "off"
# The answer to text after the command, which may be a part of a key.
TYPED_KEY = plain_message(
    "Nothing was saved: keys are set in a private form, never after the command. Type"
    " `/domainkey` alone, or with `help`."
)
REMOVED = plain_message(
    "The key is removed from this workspace. Also delete it in Domain Tracker, under"
    " Portfolio → API Keys.",
    button("Set key", SET_KEY),
)
_KEY_BUTTON = run_button("Key", "/domainkey", here=True)


def expiry_text(expires_on: date | None, today: date) -> str:
    """Return `3 Feb 2027 (in 75 days)`, `… (expired)` or `not known`."""
    if expires_on is None:
        return "not known"
    days = (expires_on - today).days
    left = f"in {plural(days, 'day')}" if days > 0 else "expired" if days else "today"
    return f"{day_token(expires_on)} ({left})"


def scope_lines(record: KeyRecord) -> list[str]:
    return [
        _line(record, each.name, each.operation, each.scope)
        for each in COMMANDS.values()
        if each.operation
    ]


def _line(record: KeyRecord, command: str, operation: str, scope: str | None) -> str:
    if operation in record.lacks:
        needed = f"needs the scope {code(scope)}" if scope else "needs a wider scope"
        return f"🔒 `{command}`: {needed}"
    if operation in record.works:
        return f"✅ `{command}`: works"
    if scope and record.scopes and not {scope, "admin"} & set(record.scopes):
        return f"❔ `{command}`: not used yet; the recorded scopes lack {code(scope)}"
    return f"❔ `{command}`: not used yet with this key"


def works_text(record: KeyRecord, domains: int, state: str = "works and is saved") -> str:
    return f"✅ {code(record.shown)} {state}. It sees {plural(domains, 'domain')}."


def works_message(
    record: KeyRecord, domains: int, state: str = "works and is saved", more: str = ""
) -> Message:
    return plain_message(f"{works_text(record, domains, state)}{more}", _KEY_BUTTON)


def allowance_lines(allowance: Allowance | None, now: datetime) -> list[str]:
    # The Home tab may show them long after `now`: they name moments, not durations.
    lines = [left_text(allowance, now)]
    if allowance is None:
        return lines
    if allowance.wait_s is not None:
        # Whole minutes are shown: one more, so that the time is not too early.
        until = moment_token(now + timedelta(seconds=allowance.wait_s, minutes=1))
        lines.append(f"⏸️ Rate limit reached; resuming {until}.")
    elif allowance.is_reserve_reached:
        reserved = f"⚠️ The last {allowance.reserve:,} are reserved for digests."
        lines.append(f"{reserved} Commands have to wait.")
    elif allowance.reserve:
        lines.append(f"The last {allowance.reserve:,} are reserved for digests.")
    return lines


def key_state_message(
    pair: KeyPair | None,
    allowance: Allowance | None,
    now: datetime,
    *,
    managers: Sequence[str] = (),
    audiences: Mapping[str, Audience] = DEFAULT_AUDIENCES,
    nights: Nights | None = None,
    domains: int = 0,
    may_name: bool = True,
) -> Message:
    """Return the answer to `/domainkey`; `may_name`: for an admin, not for a manager.

    `domains` is 0 if their number is not known.
    """
    if pair is None:
        return _not_connected_message(may_name=may_name)
    record, earlier, today = pair.record, pair.earlier, now.date()
    title = f"*Domain Tracker API key: {_state_words(record, today)}*"
    warning, is_of_use = _warning(record, today), _is_of_use(record, today)
    foot = [f"👥 {managers_text(managers)}", f"🔐 {audiences_text(audiences)}"]
    if nights and is_of_use and "scan" not in record.lacks:
        foot.append(_nights_text(nights, domains, allowance))
    if earlier:
        until = moment_token(earlier.until)
        foot.append(f"↩️ The old key, {label_text(earlier.record)}, is kept until {until}.")
    requests = "\n".join(["*Requests*", *allowance_lines(allowance, now)])
    use = [section("\n".join(scope_lines(record))), section(requests)] if is_of_use else []
    return message_of(
        section(f"{title}\n{warning}" if warning else title),
        fields(_pairs(record, today)),
        *use,
        context("\n".join(foot)),
        *_key_buttons(earlier, is_urgent=not is_of_use),
        *_more_buttons(record, nights, may_name=may_name),
    )


def _nights_text(nights: Nights, domains: int, allowance: Allowance | None) -> str:
    if not nights.is_on:
        return "🌙 Nightly scans: off. Only people scan."
    hours = f"{NIGHT_HOURS.start}:00–{NIGHT_HOURS.stop}:00 ({nights.zone})"
    text = f"🌙 Nightly scans: on, {hours}, the oldest scan first"
    if not domains:
        return f"{text}."
    count = nights_each(domains, allowance)
    often = "every night" if count == 1 else f"every {count:,} nights"
    return f"{text}, each domain about {often}."


def turned_message(*, is_on: bool) -> Message:
    text = (
        "🌙 Nightly scans are on. The oldest scan comes first."
        if is_on
        else "🌙 Nightly scans are off. End dates and issues come from scans by people."
    )
    return plain_message(text, _KEY_BUTTON)


def _pairs(record: KeyRecord, today: date) -> list[tuple[str, str]]:
    return [
        ("Key", code(record.shown)),
        ("Label", code(record.label, 100)),
        ("Expires", expiry_text(record.expires_on, today)),
        ("Scopes", ", ".join(code(scope, 40) for scope in record.scopes) or "not recorded"),
        ("Set", f"by <@{record.set_by}>, {moment_token(record.set_at)}"),
    ]


def _not_connected_message(*, may_name: bool) -> Message:
    text = "This workspace is not connected to Domain Tracker yet."
    how = (
        f"Make a key for this app alone in Domain Tracker, under {KEYS_PAGE}. Give it an"
        " expiration and the scopes `read_domains` and `write_domains`. Then set it here."
    )
    set_key = button("Set key", SET_KEY, style="primary")
    more = _more_buttons(None, None, may_name=may_name)
    return message_of(section(f"*{text}*\n{how}"), *actions(set_key), *more)


def _key_buttons(earlier: EarlierKey | None, *, is_urgent: bool) -> list[Block]:
    back = None
    if earlier:
        question = confirm(
            "Roll back to the old key?",
            "It is checked first. The current key is then kept for 7 days.",
            "Roll back",
        )
        back = button("Roll back", ROLL_BACK, earlier.record.mark, confirm=question)
    loud = {"style": "primary"} if is_urgent else {}
    replace, check = button("Replace key", SET_KEY, **loud), button("Check key", CHECK_KEY)
    return actions(replace, check, back)


def _more_buttons(
    record: KeyRecord | None, nights: Nights | None, *, may_name: bool
) -> list[Block]:
    managers = button("Managers", NAME_MANAGERS) if may_name else None
    audiences = button("Permissions", CHOOSE_AUDIENCES) if may_name else None
    turn = remove = None
    if nights and may_name:
        other, label = (TURNED_OFF, "Stop") if nights.is_on else (TURNED_ON, "Start")
        turn = button(f"{label} nightly scans", TURN_NIGHTS, other)
    if record:
        question = confirm(
            "Remove the key?",
            "Commands and digests stop until a key is set again. The key stays valid in Domain"
            " Tracker until you delete it there.",
            "Remove key",
        )
        remove = button("Remove key", REMOVE_KEY, record.mark, confirm=question)
    return actions(managers, audiences, turn, button("History", SHOW_HISTORY), remove)


def _has_expired(record: KeyRecord, today: date) -> bool:
    return record.expires_on is not None and record.expires_on < today


def _is_of_use(record: KeyRecord, today: date) -> bool:
    return not (record.refused_at or _has_expired(record, today))


def _warning(record: KeyRecord, today: date) -> str:
    """Return mrkdwn on a refused key, or on its end from the first reminder on, else nothing."""
    if record.refused_at:
        make = f"Make a new key under {KEYS_PAGE}."
        return f"⚠️ Commands and digests stop until it is replaced. {make}"
    if record.expires_on is None or (days := (record.expires_on - today).days) > COUNTDOWN_DAYS[0]:
        return ""
    sign = "⚠️" if days <= _ALARMING_DAYS else "📅"
    step = "`Replace key` guides you through it."
    if days < 0:
        step = "Press `Check key` to see whether it still works."
    return f"{sign} It {expiry_words(record, today)} {step}"


def _state_words(record: KeyRecord, today: date) -> str:
    if record.refused_at:
        return "no longer works"
    if _has_expired(record, today):
        return "expired (date entered at setup)"
    if record.lacks:
        return "active, but may not " + ", ".join(f"{each} domains" for each in record.lacks)
    return "active"


def first_steps_message(
    record: KeyRecord, domains: int, allowance: Allowance | None, *, digest_id: str
) -> Message:
    """Return the first steps: scan all, make a digest; no `digest_id` where no channel is."""
    text = works_text(record, domains)
    count = min(domains, MAX_DOMAINS)
    price = price_text(count, allowance)
    scan = button(scan_all_label(domains), START_ALL, NEVER_SCANNED, style="primary")
    if not domains:
        price, scan = "", run_button("Add domain", "/adddomain", style="primary")
    else:
        text += " End dates and issues are not known before a scan."
    where, make = "in a channel", button("Make a digest", MAKE_DIGEST)
    if digest_id:
        where, make = "here", button("Digest here", DIGEST_HERE, digest_id)
    digest = f"*Digest* {where}: weekdays at 9:00, when something got worse or expires soon."
    return message_of(
        section(text),
        section("\n".join(filter(None, [price, digest]))),
        *actions(scan, make),
        context("🌙 Nightly scans are on. `/domainkey` says how often, and turns them off."),
    )
