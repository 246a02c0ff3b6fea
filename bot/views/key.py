"""The buttons about the workspace's API key, and what is answered to them. Pure; never a key."""

from bot.keys import KeyRecord
from bot.message import Message
from bot.views.blocks import actions, button, section
from bot.views.text import code, plural

SET_KEY, CHECK_KEY, REMOVE_KEY = "key.set", "key.check", "key.remove"
ROLL_BACK, ROTATE_KEY = "key.back", "key.rotate"
NAME_MANAGERS, SHOW_HISTORY = "key.managers", "key.history"

_OPERATIONS = {"list": "list domains", "add": "add domains", "scan": "scan domains"}


def saved_message(record: KeyRecord, domains: int) -> Message:
    """Return the same for an admin who has closed the form."""
    return _done(record, f"works and is saved. It sees {plural(domains, 'domain')}.")


def rolled_back_message(record: KeyRecord, domains: int) -> Message:
    """Return that the earlier key is in use again."""
    return _done(
        record,
        f"works and is in use again. It sees {plural(domains, 'domain')}. The key that was in use"
        " until now is kept for 7 days.",
    )


def removed_message(*, was_there: bool) -> Message:
    """Return that the workspace has no key any more."""
    text = (
        "The key is removed from this workspace." if was_there else "There was no key to remove."
    )
    more = " Delete it in Domain Tracker too, under Portfolio → API Keys." if was_there else ""
    return Message(text + more, (section(text + more), *actions(button("Set key", SET_KEY))))


def checked_message(record: KeyRecord, domains: int) -> Message:
    """Return that the key works."""
    return _done(record, f"works: it sees {plural(domains, 'domain')}.")


def typed_key_message(*, looks_like_key: bool, may_set: bool) -> Message:
    """Return why only `help` is read behind `/domainkey`; nothing typed is repeated."""
    text = (
        "I read nothing behind `/domainkey` but `help`: keys are set in a private form, never"
        " behind the command. Nothing was saved."
    )
    if looks_like_key:
        text += (
            " If that was a key, treat it as exposed: delete it in Domain Tracker, make a new one,"
            " and set it with the form."
        )
    if not may_set:
        text += " Only admins and owners of this workspace, and its managers, can manage the key."
    set_key = button("Set key", SET_KEY, style="primary") if may_set else None
    return Message(text.replace("`", ""), (section(text), *actions(set_key)))


def operation_text(operation: str) -> str:
    """Return `add domains` for `add`."""
    return _OPERATIONS.get(operation, operation)


def _done(record: KeyRecord, words: str) -> Message:
    """Say something good of a key, without markup in the message's own text."""
    return Message(f"{record.shown} {words}", (section(f"✅ {code(record.shown)} {words}"),))
