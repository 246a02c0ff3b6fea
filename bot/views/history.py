"""What was done to a workspace's settings, in a form with pages. Pure."""

from collections.abc import Sequence

from bot.admin.audit import MAX_ENTRIES, OPERATOR, SLACK, Act, Entry
from bot.message import Block
from bot.views.blocks import actions, button, context, paragraphs, section
from bot.views.form import notice
from bot.views.managers import name_token
from bot.views.text import code, escaped, moment_token

HISTORY_PAGE = "history.page"
TITLE = "History"
ENTRIES_PER_PAGE = 12

_DONE = {
    Act.KEY_SET: "set the key",
    Act.KEY_REPLACED: "replaced the key by",
    Act.KEY_ROLLED_BACK: "rolled back to the key",
    Act.KEY_REMOVED: "removed the key",
    Act.EARLIER_KEY_FORGOTTEN: "finished a rotation: I no longer keep the old key",
    Act.MANAGERS_CHANGED: "changed the managers",
    Act.DIGEST_MADE: "made a digest",
    Act.DIGEST_CHANGED: "changed a digest",
    Act.DIGEST_PAUSED: "paused a digest",
    Act.DIGEST_RESUMED: "resumed a digest",
    Act.DIGEST_DELETED: "deleted a digest",
    Act.DIGESTS_RESTRICTED: "let only admins change digests",
    Act.DIGESTS_UNRESTRICTED: "let members change digests",
    Act.IMPORTED: "imported a file",
    Act.APP_INSTALLED: "installed the app",
    Act.APP_REINSTALLED: "installed the app again",
    Act.ACCESS_REVOKED: "ended the app's access",
}
_NOT_PEOPLE = {OPERATOR: "Whoever runs the bot", SLACK: "Slack"}


def history_form(entries: Sequence[Entry], page: int, metadata: str) -> Block:
    """Return a page of what was done, the latest first; `page` counts from 0."""
    pages = max(1, -(-len(entries) // ENTRIES_PER_PAGE))
    page = min(max(page, 0), pages - 1)
    first = page * ENTRIES_PER_PAGE
    shown = entries[first : first + ENTRIES_PER_PAGE]
    blocks = paragraphs(map(entry_line, shown)) or [section("Nothing was done yet.")]
    turns = actions(
        button("Later", f"{HISTORY_PAGE}.later", str(page - 1)) if page else None,
        button("Earlier", f"{HISTORY_PAGE}.earlier", str(page + 1)) if page + 1 < pages else None,
    )
    foot = f"Page {page + 1} of {pages}. The last {MAX_ENTRIES} acts are kept."
    return notice(TITLE, [*blocks, *turns, context(foot)], metadata=metadata)


def history_trouble_form(mrkdwn: str) -> Block:
    """Return one of our own sentences in the form's place."""
    return notice(TITLE, [section(mrkdwn)])


def entry_line(entry: Entry) -> str:
    """Return when who did what, as finished mrkdwn."""
    by = _NOT_PEOPLE.get(entry.by) or name_token(entry.by)
    words = [f"{moment_token(entry.at)}  ·  {by} {_DONE[entry.act]}"]
    if entry.key:
        words.append(code(entry.key, 40))
    if entry.channel_id:
        words.append(f"in <#{entry.channel_id}>")
    changes = [escaped(entry.detail)] if entry.detail else []
    changes += [f"with {name_token(each)}" for each in entry.added]
    changes += [f"without {name_token(each)}" for each in entry.removed]
    return " ".join(words) + (f": {', '.join(changes)}" if changes else "")
