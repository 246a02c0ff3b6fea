"""What the key may do, command by command, as far as that was seen. Pure."""

from bot.keys import KeyRecord
from bot.views.text import code

# command, operation, the least scope that the service document, section 5.2, names for it. It
# names none for a scan, so none is claimed.
_COMMANDS = (
    ("/domains", "list", "read_domains"),
    ("/adddomain", "add", "write_domains"),
    ("/scan", "scan", None),
)


def least_scope(operation: str) -> str | None:
    """Return the least scope for an operation, `None` where the service names none."""
    return next((scope for _, name, scope in _COMMANDS if name == operation), None)


def scope_lines(record: KeyRecord) -> list[str]:
    """Return one line of finished mrkdwn for each command."""
    return [_line(record, *each) for each in _COMMANDS]


def _line(record: KeyRecord, command: str, operation: str, scope: str | None) -> str:
    if operation in record.lacks:
        needed = f"it needs the scope {code(scope)}" if scope else "it needs a wider scope"
        return f"🔒 `{command}` lacks a scope: {needed}"
    if operation in record.works:
        return f"✅ `{command}` works"
    if scope and record.scopes and not {scope, "admin"} & set(record.scopes):
        return f"❔ `{command}` not tried yet; by your note it lacks the scope {code(scope)}"
    needed = f"; it needs the scope {code(scope)}" if scope else ""
    return f"❔ `{command}` not tried yet{needed}"
