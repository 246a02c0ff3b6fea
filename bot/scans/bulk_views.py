"""Draw a bulk scan: its price, progress and summary. Pure."""

from collections.abc import Sequence
from datetime import datetime

from bot.blocks.builders import (
    actions,
    button,
    context,
    header,
    message_of,
    paragraphs,
    plain_message,
    run_button,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import (
    bold,
    code,
    host_text,
    lines_within,
    literal,
    moment_token,
    plural,
    score_number,
)
from bot.blocks.window import OPEN_MESSAGES
from bot.domains.end_views import end_sign, ends, soon_words
from bot.scans.bulk_record import INTERRUPTED, BulkScan, End, Item
from bot.scans.bulk_runner import MAX_DOMAINS
from bot.scans.fact_views import SIGNS, issues_title
from bot.scans.service import SECONDS_EACH
from bot.tracker.findings import SEVERITIES, Knowledge, ScanFacts
from bot.tracker.rate_limit import BudgetState
from bot.tracker.readings import section_name

# Names that the portfolio lacks, each with those most like it.
Unknown = Sequence[tuple[str, Sequence[str]]]
START, STOP = "bulk.start", "bulk.stop"
# As START, in a message that stays.
START_ALL = "bulk.all"
LISTS = 2  # before the first scan, and after the last one
BAR_SQUARES = 10
MAX_LINES = 5  # of each part: a summary should fit a phone
MAX_UNKNOWN = 10
MAX_PART_CHARS = 2_500
MAX_HOST_CHARS = 80
NARROW = (
    "Narrow the filter, for example with `tag:prod`, `below:50`, `expires:30`, or `issues:high`."
)
# The answer to `Stop` elsewhere than in the message of the progress.
STOPPING = plain_message(
    "The bulk scan ends after the current domain. Its summary says who stopped it."
)
_TROUBLES = {
    INTERRUPTED: "the app was interrupted, so the result is unknown",
    "rejected": "Domain Tracker declined it",
    "timed_out": "no answer in time; it may still have been scanned",
    "unavailable": "Domain Tracker was unavailable",
}


def price_message(
    items: Sequence[Item],
    unknown: Unknown,
    selection: str,
    allowance: BudgetState | None,
    *,
    without_id: int = 0,
) -> Message:
    """Return what a bulk scan costs, with a button to start it unless it is empty.

    Of more domains than one takes, the button starts the first ones.

    `selection` is the filter or the names. `without_id` domains cannot be scanned.
    """
    lines = _unknown_lines(unknown)
    if without_id:
        lines.append(f"{plural(without_id, 'domain')} can't be scanned: no ID is listed.")
    count = len(items)
    button_below = None if items else run_button("All domains", "/domains")
    if count > MAX_DOMAINS:
        lines[:0] = [
            f"*{count:,} domains match; one bulk scan takes {MAX_DOMAINS}.* {NARROW}",
            f"Or scan the first {MAX_DOMAINS}, about {_span(MAX_DOMAINS)}."
            f" {_budget(MAX_DOMAINS, allowance)}",
        ]
        button_below = button(f"Scan {MAX_DOMAINS}", START, selection)
    elif count:
        lines[:0] = [
            price_text(count, allowance),
            f"To scan: {code(selection)}",
        ]
        button_below = button("Start", START, selection, style="primary")
        if button_below is None:
            lines.append(f"These names are too long for one bulk scan. {NARROW}")
    return message_of(*paragraphs(lines), *actions(button_below))


def price_text(count: int, allowance: BudgetState | None) -> str:
    cost = f"{plural(count, 'scan')}, about {_span(count)}, about {count + LISTS} requests."
    return f"*{cost}* {_budget(count, allowance)}"


def _pauses(count: int, budget: BudgetState) -> str:
    if budget.remaining is None or count < budget.remaining - budget.reserve:
        return ""
    return "The scan pauses when they are used up, and goes on by itself."


def _unknown_lines(unknown: Unknown) -> list[str]:
    lines = []
    for name, near in unknown[:MAX_UNKNOWN]:
        asked = f" Did you mean {' or '.join(_name(each) for each in near)}?" if near else ""
        lines.append(f"{code(host_text(name), MAX_HOST_CHARS)} is not in your portfolio.{asked}")
    if left := len(unknown) - len(lines):
        lines.append(f"and {left:,} more names")
    return lines


def _budget(count: int, allowance: BudgetState | None) -> str:
    budget = allowance or BudgetState()
    if budget.remaining is None:
        return "Requests left this hour: not known yet."
    reserved = f", {budget.reserve:,} of them reserved for digests" if budget.reserve else ""
    text = f"{plural(budget.remaining, 'request')} left this hour{reserved}."
    return f"{text} {_pauses(count, budget)}".strip()


def _span(count: int) -> str:
    minutes = -(-count * SECONDS_EACH // 60)
    if minutes < 90:
        return plural(minutes, "minute")
    return plural(-(-minutes // 60), "hour")


def started_message(run: BulkScan, team_id: str) -> Message:
    """Return the answer in the channel, with a link to the progress.

    https://docs.slack.dev/interactivity/deep-linking
    """
    text = f"Scanning {plural(run.count, 'domain')}. The progress is in your direct messages."
    url = f"slack://channel?team={team_id}&id={run.channel_id}"
    return plain_message(text, button("Open messages", OPEN_MESSAGES, url=url))


def running_message(run: BulkScan, reader: str, *, may_configure: bool) -> Message:
    """Return who has a bulk scan under way, how far it is, and for who may stop it `Stop`."""
    is_own = run.asked_by == reader
    who, where = f"<@{run.asked_by}> has a bulk scan", ""
    if is_own:
        who, where = "You have a bulk scan", " The progress is in your direct messages."
    far = f"{len(run.done):,} of {plural(run.count, 'domain')} done"
    return plain_message(
        f"{who} under way: {far}, about {_span(len(run.left))} left.{where}"
        " A workspace has one at a time. You can still scan single domains.",
        _stop(run) if is_own or may_configure else None,
    )


def _by_another(run: BulkScan) -> bool:
    return run.stopped_by not in {"", run.asked_by}


def _stop(run: BulkScan) -> Block | None:
    is_over = run.end or run.is_stopping
    return None if is_over else button("Stop", STOP, run.run_id)


def progress_message(run: BulkScan, now: datetime) -> Message:
    """Return how far a bulk scan is, with `Stop` until its end."""
    done, filled = len(run.done), len(run.done) * BAR_SQUARES // max(1, run.count)
    bar = "■" * filled + "□" * (BAR_SQUARES - filled)
    failed = f", {len(run.failed):,} failed" if run.failed else ""
    far = f"{done:,} of {run.count:,} done{failed}."
    return message_of(
        section("  ·  ".join(filter(None, [f"*{_title(run)}*", _what(run)]))),
        section(f"{bar}  {far}"),
        context(_state(run, now)),
        *actions(_stop(run)),
    )


def _title(run: BulkScan) -> str:
    return f"Bulk scan of {plural(run.count, 'domain')}"


def _what(run: BulkScan) -> str:
    return code(run.what, 200) if run.what else ""


def _state(run: BulkScan, now: datetime) -> str:
    if run.end:
        return "The summary is below."
    if run.is_stopping:
        by = f", as <@{run.stopped_by}> asked" if _by_another(run) else ""
        return f"Stopping after the current domain{by}."
    if run.waits_until and run.waits_until > now:
        return f"⏸️ Waiting for free requests. The scan continues {moment_token(run.waits_until)}."
    present = f"Now: {_name(run.left[0].host)}. " if run.left else ""
    return f"{present}About {_span(len(run.left))} left."


def summary_message(run: BulkScan, now: datetime) -> Message:
    """Return the result of a bulk scan: issues, what ends soon, changes, failures."""
    scanned, failed = run.scanned, run.failed
    counts = [f"{len(scanned):,} scanned"]
    counts += [f"{len(failed):,} failed"] if failed else []
    counts += [f"{len(run.left):,} not begun"] if run.left else []
    head = f"{_title(run)}: {', '.join(counts)}"
    parts = [
        _part("Worst issues first", _issue_lines(scanned), ": `/domains issues:low`"),
        _part("Ends within 30 days", _end_lines(scanned, now), ": `/domains expires:30`"),
        _part("Could not be checked", _unchecked_lines(scanned)),
        _part("Changed", _change_lines(scanned)),
        _part("Failed", [f"{_name(each.host)}: {_trouble(each)}" for each in failed]),
    ]
    lines = [line for part in parts for line in part]
    facts = [item.facts for item in scanned if item.facts]
    if scanned:
        lines[:0] = [_summary(facts, has_issues=bool(parts[0]), has_ends=bool(parts[1]))]
    return message_of(
        header(head),
        section("  ·  ".join(filter(None, [_what(run), _why(run)])) or "All done."),
        *map(section, filter(None, lines)),
        *actions(_rest_button(run), run_button("All domains", "/domains")),
    )


def _rest_button(run: BulkScan) -> Block | None:
    """Return the button that scans what was not; of too many names, what never was."""
    hosts = [item.host for item in (*run.left, *run.failed)]
    line = f"/scan {' '.join(hosts)}"
    label, never = "Scan the rest", f"/scan {NEVER_SCANNED}"
    return (run_button(label, line) or run_button(label, never)) if hosts else None


def _summary(facts: Sequence[ScanFacts], *, has_issues: bool, has_ends: bool) -> str:
    """Return what is not there, and for how many domains that is not known."""
    count = plural(len(facts), "domain")
    issues = sum(each.issue_knowledge in {Knowledge.KNOWN, Knowledge.NONE} for each in facts)
    dates = sum(each.ends_are_known for each in facts)
    said = []
    if not has_issues and issues == len(facts):
        said.append("No issues reported.")
    if not has_ends and dates == len(facts):
        said.append("Nothing ends within 30 days.")
    if issues < len(facts) or dates < len(facts):
        said.append(f"Dates known for {dates:,} of {count}, issues for {issues:,}.")
    return " ".join(said)


def _unchecked_lines(items: Sequence[Item]) -> list[str]:
    return [
        f"{_name(item.host)}: {', '.join(map(section_name, item.facts.failed))}"
        for item in items
        if item.facts and item.facts.failed
    ]


def _why(run: BulkScan) -> str:
    """Return why it ended before its last domain, or nothing."""
    if run.end in {None, End.DONE}:
        return ""
    if run.end is End.STOPPED:
        return f"<@{run.stopped_by}> stopped it." if _by_another(run) else "You stopped it."
    if run.end is End.FAILING:
        return "I stopped because several scans in a row failed."
    return {
        End.REMOVED: "I stopped: the API key was removed. Admins set one with `/domainkey`.",
        End.SCOPE: (
            "I stopped: the API key has no scope for scans. Admins set another with `/domainkey`."
        ),
    }.get(
        run.end,
        "I stopped: the API key can't be used for scans. Admins see why with `/domainkey`.",
    )


def _part(title: str, lines: Sequence[str], where: str = "") -> list[str]:
    """Return a titled part of a summary, empty without lines; `where` lists what is left out."""
    if not lines:
        return []
    most = MAX_LINES + (len(lines) == MAX_LINES + 1)  # `and 1 more` would take its line
    shown = lines_within(lines[:most], MAX_PART_CHARS)
    more = [f"• and {left:,} more{where}"] if (left := len(lines) - len(shown)) else []
    return ["\n".join([f"*{title}*", *(f"• {line}" for line in shown), *more])]


def _issue_lines(items: Sequence[Item]) -> list[str]:
    rated = [
        (tuple(-facts.counts.get(severity, 0) for severity in SEVERITIES), item.host, facts)
        for item in items
        if (facts := item.facts) and facts.issues
    ]
    return [
        f"{SIGNS[facts.issues[0].severity]} {_name(host)}: "
        f"{'; '.join(literal(issue.title, 80) for issue in facts.issues)} ({issues_title(facts)})"
        for _rank, host, facts in sorted(rated, key=lambda each: each[:2])
    ]


def _end_lines(items: Sequence[Item], now: datetime) -> list[str]:
    """Return all that ends soon, a line for each domain, the first one first."""
    near = [
        (ends(facts)[0][1], item.host, text)
        for item in items
        if (facts := item.facts) and (text := soon_words(facts, now))
    ]
    return [
        f"{end_sign(end, now)} {_name(host)}: {text}"
        for end, host, text in sorted(near, key=lambda each: each[0].day)
    ]


def _change_lines(items: Sequence[Item]) -> list[str]:
    """Return what changed, the largest fall first."""
    changed = [item for item in items if _moved(item) or item.changes]
    return [
        f"{_name(item.host)}: {', '.join(filter(None, [_moved(item), _changes(item)]))}"
        for item in sorted(changed, key=lambda item: (item.score_after or 0) - (item.score or 0))
    ]


def _moved(item: Item) -> str:
    if item.score is None or item.score_after is None or item.score == item.score_after:
        return ""
    arrow = "▲" if item.score_after > item.score else "▼"
    return f"health {score_number(item.score)} → {score_number(item.score_after)} {arrow}"


def _changes(item: Item) -> str:
    return plural(item.changes, "change") if item.changes else ""


def _trouble(item: Item) -> str:
    return _TROUBLES.get(item.trouble or "", "Domain Tracker returned an unexpected response")


def _name(host: str) -> str:
    return bold(host_text(host), MAX_HOST_CHARS)


NEVER_SCANNED = "scanned:never"


def scan_all_label(never_scanned: int) -> str:
    """Return the label of the button that scans all, or as many as one bulk scan takes."""
    is_all = never_scanned <= MAX_DOMAINS
    return f"Scan all {never_scanned}" if is_all else f"Scan {MAX_DOMAINS}"
