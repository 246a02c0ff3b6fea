"""Draw a bulk scan until its end: its price and its progress. Pure."""

from collections.abc import Sequence
from datetime import datetime

from bot.blocks.builders import (
    CANCEL,
    actions,
    button,
    context,
    message_of,
    paragraphs,
    plain_message,
    run_button,
    section,
)
from bot.blocks.links import linked_name
from bot.blocks.message import Block, Message
from bot.blocks.text import (
    bold,
    code,
    host_text,
    lines_within,
    literal,
    minutes_text,
    moment_token,
    plural,
)
from bot.dispatch.request import OPEN_MESSAGES
from bot.scans.bulk_record import MAX_DOMAINS, BulkScan, Item
from bot.scans.service import SECONDS_EACH
from bot.tracker.rate_limit import Allowance

# Names that the portfolio lacks, each with those most like it.
Unknown = Sequence[tuple[str, Sequence[str]]]
START, STOP = "bulk.start", "bulk.stop"
# As START, in a message that stays.
START_ALL = "bulk.all"
LISTS = 1  # after the last scan
BAR_SQUARES = 10
MAX_UNKNOWN = 10
MAX_HOST_CHARS = 80
MAX_NAMES_CHARS = 300
NEVER_SCANNED = "scanned:never"
NARROW = (
    "Narrow the filter, for example with `tag:prod`, `below:50`, `expires:30`, or `issues:high`."
)
# The answer to `Stop` elsewhere than in the message of the progress.
STOPPING = plain_message(
    "The bulk scan ends after the current domain. Its summary says who stopped it."
)


def price_message(
    items: Sequence[Item],
    unknown: Unknown,
    selection: str,
    allowance: Allowance | None,
    *,
    without_id: int = 0,
) -> Message:
    """Return what the bulk scan of a filter or names costs, with a button to start it."""
    lines = _unknown_lines(unknown)
    if without_id:
        lines.append(f"{plural(without_id, 'domain')} can't be scanned: no ID is listed.")
    count = len(items)
    button_below = None if items else run_button("All domains", "/domains")
    if count > MAX_DOMAINS:
        lines[:0] = [
            f"*{count:,} domains match; one bulk scan takes {MAX_DOMAINS}.* {NARROW}",
            f"Or scan the first {MAX_DOMAINS}? {_cost(MAX_DOMAINS, allowance)}",
            _meant(items[:MAX_DOMAINS]),
        ]
        button_below = button(f"Scan {MAX_DOMAINS}", START, selection)
    elif count:
        lines[:0] = [price_text(count, allowance), _meant(items)]
        button_below = button("Start", START, selection, style="primary")
        if button_below is None:
            lines.append(f"These names are too long for one bulk scan. {NARROW}")
    cancel = button("Cancel", CANCEL) if items and button_below else None
    return message_of(*paragraphs(lines), *actions(button_below, cancel))


def _meant(items: Sequence[Item]) -> str:
    shown = lines_within((literal(host_text(item.host)) for item in items), MAX_NAMES_CHARS)
    left = len(items) - len(shown)
    return ", ".join(shown) + (f" and {left:,} more" if left else "")


def price_text(count: int, allowance: Allowance | None) -> str:
    return f"*Scan {plural(count, 'domain')}?* {_cost(count, allowance)}"


def _unknown_lines(unknown: Unknown) -> list[str]:
    lines = []
    for name, near in unknown[:MAX_UNKNOWN]:
        names = " or ".join(bold(host_text(each), MAX_HOST_CHARS) for each in near)
        asked = f" Did you mean {names}?" if near else ""
        lines.append(f"{code(host_text(name), MAX_HOST_CHARS)} is not in your portfolio.{asked}")
    if left := len(unknown) - len(lines):
        lines.append(f"and {left:,} more names")
    return lines


def _cost(count: int, allowance: Allowance | None) -> str:
    known, about = allowance or Allowance(), f"About {_span(count)} and {count + LISTS:,}"
    if known.remaining is None:
        return f"{about} requests; how many are left this hour is not known yet."
    free = max(0, known.remaining - known.reserve)
    text = f"{about} of the {plural(free, 'request')} left this hour."
    pauses = " The scan pauses when they are used up, and goes on by itself."
    return text + (pauses if count >= free else "")


def _span(count: int) -> str:
    return minutes_text(-(-count * SECONDS_EACH // 60))


def started_message(run: BulkScan, team_id: str) -> Message:
    """Return the answer in the channel, with a link to the progress.

    https://docs.slack.dev/interactivity/deep-linking
    """
    text = f"Scanning {plural(run.count, 'domain')}. The progress is in your direct messages."
    url = f"slack://channel?team={team_id}&id={run.channel_id}"
    return plain_message(text, button("Open messages", OPEN_MESSAGES, url=url))


def running_message(run: BulkScan, reader: str, *, may_configure: bool) -> Message:
    is_own = run.asked_by == reader
    who = "You have" if is_own else f"<@{run.asked_by}> has"
    where = " The progress is in your direct messages." if is_own else ""
    far = f"{len(run.done):,} of {plural(run.count, 'domain')} done"
    return plain_message(
        f"{who} a bulk scan under way: {far}, about {_span(len(run.left))} left.{where}"
        " A workspace has one at a time. You can still scan single domains.",
        _stop(run) if is_own or may_configure else None,
    )


def _stop(run: BulkScan) -> Block | None:
    return None if run.end or run.stopped_by else button("Stop", STOP, run.run_id)


def progress_message(run: BulkScan, now: datetime) -> Message:
    done, filled = len(run.done), len(run.done) * BAR_SQUARES // max(1, run.count)
    bar = "■" * filled + "□" * (BAR_SQUARES - filled)
    failed = f", {len(run.failed):,} failed" if run.failed else ""
    far = f"{done:,} of {run.count:,} done{failed}."
    title = f"*Bulk scan of {plural(run.count, 'domain')}*"
    return message_of(
        section("  ·  ".join(filter(None, [title, selection_text(run)]))),
        section(f"{bar}  {far}"),
        context(_state(run, now)),
        *actions(_stop(run)),
    )


def selection_text(run: BulkScan) -> str:
    return code(run.what, 200) if run.what else ""


def _state(run: BulkScan, now: datetime) -> str:
    if run.end:
        return "The summary is below."
    if run.stopped_by:
        by = f", as <@{run.stopped_by}> asked" if run.is_stopped_by_another else ""
        return f"Stopping after the current domain{by}."
    if run.waits_until and run.waits_until > now:
        return f"⏸️ Waiting for free requests. The scan continues {moment_token(run.waits_until)}."
    present = f"Now: {item_name(run.left[0])}. " if run.left else ""
    return f"{present}About {_span(len(run.left))} left."


def item_name(item: Item) -> str:
    return linked_name(item.host, item.domain_id, MAX_HOST_CHARS)


def scan_all_label(never_scanned: int) -> str:
    is_all = never_scanned <= MAX_DOMAINS
    return f"Scan all {never_scanned}" if is_all else f"Scan {MAX_DOMAINS}"
