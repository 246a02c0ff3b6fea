"""Word the errors and notices of the API key. Pure."""

from datetime import date

from bot.access.views import names_text
from bot.blocks import builders as blocks
from bot.blocks.message import Block, Message
from bot.blocks.text import KEYS_PAGE, code, day_token, duration_text, plural
from bot.dispatch.commands import COMMANDS
from bot.dispatch.failure import Facts, Sentences, plain
from bot.keys import key_record as keys
from bot.keys.views import CHECK_KEY, SET_KEY, expiry_words
from bot.keys.workspace_tracker import LackingScopeError
from bot.store.documents import UnreadableSecretError
from bot.tracker import models as tracker
from bot.tracker.rate_limit import Allowance

# Of a key that was entered, and is not in use yet.
REFUSED_KEY = "Domain Tracker refuses this key. It is mistyped, expired, or deleted."
LIMIT_REACHED = "The API key's rate limit is reached."
_USUAL_LIMIT = (
    " Each list, added domain, and scan counts. The usual limit is 1,000 an hour per key. Domain"
    " Tracker's support can raise it."
)


def _no_key(_error: keys.NoKeyError, facts: Facts) -> Message:
    text = "This workspace is not connected to Domain Tracker yet."
    kept = " I kept your command. It runs by itself when the key is set within 15 minutes."
    kept = kept if facts.is_kept else ""
    if facts.is_admin:
        set_key = blocks.button("Set key", SET_KEY, style="primary")
        return blocks.plain_message(f"{text} Press `Set key` to connect it.{kept}", set_key)
    return blocks.plain_message(f"{text} {_ask('to connect it with `/domainkey`')}{kept}")


def _invalid(_error: tracker.InvalidKeyError, facts: Facts) -> Message:
    text = "This workspace's API key no longer works."
    if facts.is_admin:
        make = f"Make a new key under {KEYS_PAGE}."
        why = _why_invalid(facts.key_expires_on, facts.now.date())
        return blocks.plain_message(f"{text} {why} {make}", *_repair_buttons())
    # Only one person reads it, so the mentions notify no one.
    informed = f" I notified {names_text(facts.notified)}." if facts.notified else ""
    return blocks.plain_message(f"{text}{informed} {_ask('to replace it')}")


def _lacking(error: LackingScopeError, facts: Facts) -> Message:
    text = f"The workspace's API key may not {error.operation} domains."
    if not facts.is_admin:
        return blocks.plain_message(f"{text} {_ask('to set a key with a wider scope')}")
    held = ", ".join(code(scope, 40) for scope in facts.key_scopes)
    scopes = {command.operation: command.scope for command in COMMANDS.values()}
    wanted = scopes.get(error.operation)
    scope = f"It needs the scope {code(wanted)}" if wanted else "It needs a wider scope"
    steps = (
        f"{scope}{f' (recorded scopes: {held})' if held else ''}. A key's scopes can't be changed:"
        f"\n1. Make a new key in Domain Tracker under {KEYS_PAGE}."
        "\n2. Press `Replace key` and enter it.\n3. Delete the old key there."
    )
    return blocks.plain_message(f"{text} {steps}", *_repair_buttons())


def _ip(_error: tracker.IpNotAllowedError, facts: Facts) -> Message:
    text = "The workspace's API key doesn't allow the app's IP address."
    if not facts.is_admin:
        return blocks.plain_message(f"{text} {_ask('to allow it')}")
    addresses = ", ".join(code(address, 50) for address in facts.egress_addresses)
    ask = "" if addresses else " Ask the app's operator for its address (setting `EGRESS_IPS`)."
    how = f"Add {addresses or 'it'} to the key's IP restrictions under {KEYS_PAGE}."
    return blocks.plain_message(f"{text}{ask} {how}", blocks.again_button(facts.command_line))


def _out_of_requests(
    error: tracker.RateLimitedError | tracker.ReserveReachedError, facts: Facts
) -> Message:
    allowance, why = facts.allowance or Allowance(), LIMIT_REACHED
    wait = duration_text(max(error.retry_after_s, allowance.next_try_s))
    is_reserve = isinstance(error, tracker.ReserveReachedError)
    if is_reserve and allowance.remaining != 0:
        why = "The API key's last requests are reserved for digests."
    again = blocks.again_button(facts.command_line)
    more = _USUAL_LIMIT if facts.is_admin and not is_reserve else ""
    return blocks.plain_message(f"{why} Try again in {wait}.{more}", again)


def _unreadable_secret(_error: UnreadableSecretError, facts: Facts) -> Message:
    text = "The saved API key is encrypted with other keys and can't be read."
    if facts.is_admin:
        replace_key = blocks.button("Replace key", SET_KEY, style="primary")
        return blocks.plain_message(f"{text} Please enter it again.", replace_key)
    return blocks.plain_message(f"{text} {_ask('to enter it again with `/domainkey`')}")


def _why_invalid(expires_on: date | None, today: date) -> str:
    if expires_on and expires_on <= today:
        return f"It expired on {day_token(expires_on)}."
    return "It was probably deleted or revoked, or it has expired."


def _other_portfolio(error: keys.OtherPortfolioError, _facts: Facts) -> Message:
    return blocks.plain_message(
        f"This key sees {plural(error.sees, 'domain')}, none of your {error.before:,}."
        " Another portfolio? It is not in use yet."
    )


def _repair_buttons() -> tuple[Block | None, ...]:
    check = blocks.button("Check key", CHECK_KEY)
    return blocks.button("Replace key", SET_KEY, style="primary"), check


def _ask(what: str) -> str:
    return f"Please ask a workspace admin or owner {what}."


KEY_ERRORS: Sentences = {
    keys.NoKeyError: _no_key,
    tracker.InvalidKeyError: _invalid,
    LackingScopeError: _lacking,
    tracker.InsufficientPermissionsError: plain(
        "This API key may not list domains. It needs the scope `read_domains`."
    ),
    tracker.IpNotAllowedError: _ip,
    tracker.RateLimitedError: _out_of_requests,
    tracker.ReserveReachedError: _out_of_requests,
    UnreadableSecretError: _unreadable_secret,
    keys.ExpiredDraftError: plain(
        "The expiration date has passed. Make a new key, or correct the date."
    ),
    keys.KeysChangedError: plain(
        "The keys were changed since then, so nothing was done. Check them with `/domainkey`."
    ),
    keys.KeyNotHeldError: plain(
        "An entered key is kept for 15 minutes at most, and this one no longer is. `/domainkey`"
        " shows the key in use."
    ),
    keys.OtherPortfolioError: _other_portfolio,
    keys.EarlierKeyRefusedError: plain(
        "The old key no longer works: it was probably deleted, or it has expired. Nothing was"
        " changed."
    ),
}


def key_notice(notice: keys.KeyNotice, record: keys.KeyRecord, today: date) -> Message:
    """Return the reminder about a key; `today` may be later than its due day."""
    match notice.kind:
        case keys.NoticeKind.REFUSED:
            text = f"This workspace's API key {record.shown} no longer works."
            hint = (
                f"{_why_invalid(record.expires_on, today)} Make a new key under {KEYS_PAGE}. Then"
                " set it with `/domainkey`: commands and digests wait for it."
            )
            return blocks.plain_message(f"🔑 *{text}* {hint}", *_repair_buttons())
        case keys.NoticeKind.WORKS_AGAIN:
            return blocks.plain_message(
                f"✅ This workspace's API key {code(record.shown)} works."
                " You don't need to do anything."
            )
        case keys.NoticeKind.EXPIRY:
            return _reminder(record, expiry_words(record, today), "📅")
        case keys.NoticeKind.ROTATION:
            age = plural((today - record.set_at.date()).days, "day")
            return _reminder(
                record,
                f"was set {age} ago. Domain Tracker recommends a new key every 90 days.",
                "🔄",
            )


def _reminder(record: keys.KeyRecord, predicate: str, symbol: str) -> Message:
    return blocks.plain_message(
        f"{symbol} *The Domain Tracker API key* {code(record.shown)}"
        f" ({code(record.label, 100)}) *{predicate}* `Replace key` leads you through it.",
        blocks.button("Replace key", SET_KEY, style="primary"),
    )
