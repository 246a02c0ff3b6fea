"""Draw an alert: what got worse, who is on it, what is snoozed, and how it ended. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.blocks.builders import (
    actions,
    button,
    context,
    header,
    input_element,
    message_of,
    option,
    paragraphs,
    plain_message,
    run_button,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import (
    bold,
    escaped,
    host_text,
    lines_within,
    literal,
    minutes_text,
    moment_token,
    plural,
    score_number,
)
from bot.digests.alert_card import AlertCard, Fall
from bot.digests.models import Digest, Reminder, Snooze
from bot.digests.report import Move
from bot.digests.views.changes import issues_text, move_text, sign_text
from bot.digests.views.notes import preview_note
from bot.digests.views.wording import (
    domain_line,
    manage_button,
    mention_tokens,
    owners_line,
    person,
    scan_button,
)
from bot.domains.end_views import soon_text, soon_words
from bot.domains.kept_facts import Ending, KnownChange
from bot.domains.views import score_mrkdwn
from bot.tracker.hijack_signs import ISSUER, kind_of
from bot.tracker.models import Domain

TAKE, TAKE_OVER, LET_GO = "alert.take", "alert.over", "alert.let-go"
SNOOZE, WAKE, DETAILS = "alert.snooze", "alert.wake", "alert.details"
EXPECTED = "alert.expected"
# The same in the list of digests.
SNOOZE_ALL, WAKE_ALL = "digests.snooze", "digests.wake"
MAX_LISTED = 10
MAX_OPTIONS = 100
MAX_DETAILS_CHARS = 9_000
MAX_NAMED = 3
MAX_ENDING_CHARS = 500
NOTHING_DOWN = "No card of this alert is open, so nothing is snoozed."
AWAKE = "🔔 The snooze is over: what gets worse is posted again."
# By the value of the option, its label and its length.
LENGTHS = {
    "1h": ("1 hour", timedelta(hours=1)),
    "1d": ("1 day", timedelta(days=1)),
    "7d": ("7 days", timedelta(days=7)),
    "recovered": ("until recovered", None),
}


def alert_message(
    name: str, alert: AlertCard, digest: Digest | None, now: datetime, *, last_word: str = ""
) -> Message:
    """Return the card of an alert as it is now; `name` comes back with its buttons.

    `digest` is `None` once it was deleted. `last_word`: the card does not change any more.
    """
    falls = [*alert.down, *(fall for fall in alert.falls if not fall.is_down)]
    left_out, owners = len(falls) - MAX_LISTED, owners_line(alert.owners)
    blocks = [
        header(title(alert)),
        *([section(f"🔔 {owners}")] if owners else []),
        *(
            section(fall_line(fall), scan_button("Scan", fall.host) if fall.is_down else None)
            for fall in falls[:MAX_LISTED]
        ),
        *([context(f"and {left_out:,} more")] if left_out > 0 else []),
        *([context(bold(digest.plan.name, 80))] if digest and digest.plan.name else []),
        *map(context, [*alert.notes, *_states(alert, digest, now), *filter(None, [last_word])]),
    ]
    others = [manage_button(digest) if digest else None]
    if left_out > 0:
        others.insert(0, button("Details", DETAILS, name))
    if alert.down and not last_word:
        others = [*_buttons(name, alert, digest, now), *others]
    elif digest and alert.active_snooze(now):
        others.insert(0, button("End snooze", WAKE, name))
    return message_of(*blocks, *actions(*others))


def alert_preview(alert: AlertCard, digest: Digest, now: datetime) -> Message:
    """Return what an alert would look like now, without buttons, or that nothing is worse."""
    note = preview_note(len(mention_tokens(alert.owners)))
    if not alert.falls:
        return plain_message(f"{note} Nothing got worse since the last check.")
    drawn = alert_message("", alert, digest, now).blocks
    shown = [
        {name: part for name, part in block.items() if name != "accessory"}
        for block in drawn
        if block["type"] != "actions" and "🔔" not in str(block)
    ]
    return message_of(section(note), *shown)


def details_message(alert: AlertCard) -> Message:
    falls = [*alert.down, *(fall for fall in alert.falls if not fall.is_down)]
    lines = lines_within(map(fall_line, falls), MAX_DETAILS_CHARS)
    left_out = len(falls) - len(lines)
    more = [f"and {left_out:,} more"] if left_out else []
    return message_of(section(f"*{title(alert)}*"), *paragraphs([*lines, *more]))


def title(alert: AlertCard) -> str:
    """Return what is worst, and of how many domains, or how it ended, as plain text."""
    down, count = alert.down, len(alert.falls)
    if not down:
        return _ending(alert)
    if count == 1:
        return _what(down[0])
    if len(down) < count:
        return f"{len(down):,} of {count:,} domains still worse. Worst: {_what(down[0])}"
    changed = sum(map(_has_changed, down))
    what = "changed" if changed == count else "changed or got worse" if changed else "got worse"
    return f"{count:,} domains {what}. Worst: {_what(down[0])}"


def recovered_line(alert: AlertCard) -> str:
    """Return the line in the thread about the end of an alert, as mrkdwn."""
    return literal(_ending(alert), MAX_ENDING_CHARS)


def reminder_line(alert: AlertCard, reminder: Reminder) -> str:
    who, after = " ".join(mention_tokens(reminder.who)), minutes_text(reminder.after)
    return (
        f"{who}: {escaped(title(alert))}. No one is on it after {after}."
        " To take it, press `I'm on it`."
    )


def taken_already_text(alert: AlertCard, user_id: str) -> str:
    if alert.taken_by == user_id:
        return "You are on it already. Press `Let go` to stop."
    if alert.taken_by is None:
        return "No one is on it now. Press `I'm on it`."
    return f"{person(alert.taken_by)} is on it. Press `Take over` to take it over."


def snooze_menu(action_id: str, name: str, whose: str) -> Block:
    """Return the menu that snoozes; each length says `whose`, and comes back with `name`."""
    options = [option(f"{name}/{each}", label, whose) for each, (label, _) in LENGTHS.items()]
    return input_element("static_select", action_id, "Snooze", options=options)


def snooze_text(snooze: Snooze, hosts: Sequence[str] = ()) -> str:
    """Return who snoozed which domains, and until when, as mrkdwn; no hosts: all domains."""
    named = ", ".join(literal(host_text(host)) for host in hosts[:MAX_NAMED])
    left_out = len(hosts) - MAX_NAMED
    more = f" and {left_out:,} more" if left_out > 0 else ""
    until = f"until {moment_token(snooze.until)}" if snooze.until else "until recovered"
    return f"😴 {person(snooze.by)} snoozed {named or 'all domains'}{more} {until}."


def _states(alert: AlertCard, digest: Digest | None, now: datetime) -> list[str]:
    lines = []
    if alert.taken_by and alert.taken_at and alert.down:
        lines.append(f"👋 {person(alert.taken_by)} is on it since {moment_token(alert.taken_at)}.")
    if digest and (of_all := digest.active_snooze(now)):
        lines.append(snooze_text(of_all))
    elif snooze := alert.active_snooze(now):
        lines.append(snooze_text(snooze, alert.hosts))
    return lines


def _buttons(
    name: str, alert: AlertCard, digest: Digest | None, now: datetime
) -> list[Block | None]:
    buttons = [button("I'm on it", TAKE, name, style="primary")]
    if alert.taken_by:
        buttons = [button("Take over", TAKE_OVER, name), button("Let go", LET_GO, name)]
    if alert.active_snooze(now) or (digest and digest.active_snooze(now)):
        buttons.append(button("End snooze", WAKE, name))
    else:
        buttons.append(snooze_menu(SNOOZE, name, f"for {_named(alert)}"))
    if len(alert.down) > 1:
        hosts = " ".join(fall.host for fall in alert.down)
        buttons.append(run_button("Scan all", f"/scan {hosts}"))
    return [*buttons, _expected_element(name, alert)]


def _named(alert: AlertCard) -> str:
    """Return the only domain of an alert, or their number."""
    count = len(alert.falls)
    return host_text(alert.falls[0].host) if count == 1 else f"{count:,} domains"


def _expected_element(name: str, alert: AlertCard) -> Block | None:
    """Return the button, or the menu of domains, of those who know of what changed."""
    hosts = {
        f"{name}/{place}": host_text(fall.host)
        for place, fall in enumerate(alert.falls)
        if fall.is_down and fall.hijack_signs
    }
    if len(hosts) < 2:
        return button("Expected", EXPECTED, *hosts) if hosts else None
    options = [option(value, host) for value, host in hosts.items()]
    return input_element("static_select", EXPECTED, "Expected", options=options[:MAX_OPTIONS])


def _has_changed(fall: Fall) -> bool:
    """Return whether a possible hijack is the worst of a domain; a new issuer seldom is one."""
    signs = {kind_of(each.sign) for each in fall.hijack_signs}
    is_all = not fall.is_lower and not fall.marks and not fall.issues
    return bool(signs if is_all else signs - {ISSUER})


def _what(fall: Fall) -> str:
    """Return what is worst about a domain in plain text, for a title."""
    host = host_text(fall.host)
    if _has_changed(fall):
        signs = dict.fromkeys(kind_of(each.sign) for each in fall.hijack_signs)
        return f"{host} changed: {', '.join(signs)}"
    if fall.is_lower and fall.now is not None:
        score = score_number(fall.now)
        return f"{host}: first score {score}" if fall.before is None else f"{host} fell to {score}"
    if fall.marks and fall.ends:
        return f"{host}: {soon_words(fall.ends, fall.told_at, fall.rule.horizon)}"
    severity = fall.issues[0].severity.value if fall.issues else ""
    return f"{host} has a new {severity} issue".replace("  ", " ")


def fall_line(fall: Fall) -> str:
    """Return what got worse about a domain and what its scans found, as mrkdwn."""
    if fall.is_gone:
        return _line(fall, "is no longer in the portfolio")
    if fall.recovered_at:
        return expected_line(fall) if fall.was_expected else f"✅ {_line(fall, _course(fall))}"
    lines = [f"🔀 {_line(fall, sign_text(change))}" for change in fall.hijack_signs]
    if fall.is_lower:
        move = Move(Domain(domain=fall.host), fall.before, fall.now)
        is_first = fall.before is None
        text = f"first score {score_mrkdwn(fall.now)}" if is_first else f"health {move_text(move)}"
        lines.append(f"📉 {_line(fall, text)}")
    if fall.marks and fall.ends:
        row = Ending(fall.host, fall.ends, fall.hosts_under, fall.rule.horizon)
        text = soon_text(row, fall.told_at, is_owned=fall.is_owned)
        lines.append(f"⏳ {_line(fall, text)}")
    if fall.issues:
        lines.append(f"🚨 {_line(fall, issues_text(fall.issues))}")
    others = [change for change in fall.changes if change not in fall.hijack_signs]
    lines += [f"🔀 {sign_text(change)}{_by(change)}" for change in others]
    return "\n".join(lines)


def _line(fall: Fall, mrkdwn: str) -> str:
    return domain_line(fall.host, mrkdwn, fall.domain_id)


def _by(change: KnownChange) -> str:
    return f" – expected by {person(change.expected_by)}" if change.expected_by else ""


def expected_line(fall: Fall) -> str:
    """Return the line in the thread about changes that a person knew of."""
    known = "; ".join(f"{sign_text(change)}{_by(change)}" for change in fall.expected)
    return f"✅ {_line(fall, known)}"


def _course(fall: Fall) -> str:
    """Return `30 → 91, after 40 minutes`."""
    time = _lasted((fall.recovered_at or fall.at) - fall.at)
    if fall.low is None or fall.now is None:
        return f"after {time}"
    return f"{score_number(fall.low)} → {score_number(fall.now)}, after {time}"


def _lasted(time: timedelta) -> str:
    return minutes_text(max(1, round(time.total_seconds() / 60)))


def _ending(alert: AlertCard) -> str:
    ended = [fall for fall in alert.falls if fall.recovered_at]
    if not ended:
        return f"Ended, no longer in the portfolio: {_named(alert)}"
    gone = len(alert.falls) - len(ended)
    more = f"; {plural(gone, 'domain')} no longer in the portfolio" if gone else ""
    recovered = [fall for fall in ended if not fall.was_expected]
    if not recovered:
        named = _named(alert) if len(ended) == len(alert.falls) else plural(len(ended), "domain")
        return f"✅ Expected: {named} changed{more}"
    if len(alert.falls) == 1:
        return f"✅ Recovered: {_named(alert)} {_course(alert.falls[0])}"
    if expected := len(ended) - len(recovered):
        more = f"; {plural(expected, 'domain')} changed as expected{more}"
    began = min(fall.at for fall in recovered)
    lasted = max(fall.recovered_at or fall.at for fall in recovered) - began
    return f"✅ Recovered: {plural(len(recovered), 'domain')}, after {_lasted(lasted)}{more}"
