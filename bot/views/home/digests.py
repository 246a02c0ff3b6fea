"""All digests of a workspace, on the Home tab of those who look after them. Pure."""

from collections.abc import Sequence
from datetime import datetime

from bot.digests.digest import Digest
from bot.message import Block
from bot.views.blocks import actions, button, context, section
from bot.views.digests.plan import filter_shown, manage_button, mode_text
from bot.views.digests.state import run_lines, state_lines
from bot.views.schedule import schedule_text
from bot.views.text import plural

TURN_DIGESTS = "home.digests"
PER_PAGE = 8

_NONE = (
    "*No digests yet*\nA digest is a post about your domains that comes by itself, on the days and"
    " at the time that you choose. Type `/domaindigest` in the channel that is to get one."
)


def digests_blocks(
    digests: Sequence[Digest], page: int, now: datetime, zone: str | None
) -> list[Block]:
    """Return a page of them (from 0), those that need somebody first; `zone` is the reader's."""
    if not digests:
        return [section(_NONE)]
    pages = -(-len(digests) // PER_PAGE)
    page = min(max(page, 0), pages - 1)
    first = page * PER_PAGE
    ordered = sorted(digests, key=_urgency)[first : first + PER_PAGE]
    blocks = [section(f"*{plural(len(digests), 'digest')}*")]
    for digest in ordered:
        blocks += _digest_blocks(digest, now, zone)
    return blocks + _turns(page, pages, len(digests))


def _digest_blocks(digest: Digest, now: datetime, zone: str | None) -> list[Block]:
    plan = digest.plan
    # Slack shows the name of a private channel to its members only.
    title = f"<#{plan.channel_id}>  ·  {schedule_text(plan.schedule)}"
    told = "\n".join([title, *state_lines(digest, now, zone)])
    details = f"Filter: {filter_shown(plan.filter_text)}  ·  Post: {mode_text(plan)}"
    return [
        section(told, manage_button(digest)),
        context("\n".join([details, *run_lines(digest)])),
    ]


def _turns(page: int, pages: int, count: int) -> list[Block]:
    if pages == 1:
        return []
    first = page * PER_PAGE + 1
    last = min(first + PER_PAGE - 1, count)

    def to_page(label: str, name: str, number: int) -> Block | None:
        there = 0 <= number < pages
        return button(label, f"{TURN_DIGESTS}.{name}", str(number)) if there else None

    where = context(f"Digests {first:,}–{last:,} of {count:,}, page {page + 1} of {pages}.")
    turns = actions(
        to_page("Previous page", "previous", page - 1), to_page("Next page", "next", page + 1)
    )
    return [where, *turns]


def _urgency(digest: Digest) -> tuple[int, datetime]:
    """Those that the bot itself has paused or that wait come first, then by the next run."""
    if digest.pause:
        return (0 if digest.pause.why else 3, digest.next.due_at)
    waits = digest.run is not None and digest.run.trouble is not None
    return (1 if waits else 2, digest.next.due_at)
