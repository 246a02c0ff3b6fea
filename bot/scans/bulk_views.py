"""Draw a bulk scan: its price, progress and summary. Pure."""

import json
from collections.abc import Sequence
from datetime import datetime

from bot.blocks.builders import (
    actions,
    button,
    cancel_button,
    context,
    header,
    message_of,
    notice,
    paragraphs,
    plain_message,
    run_button,
    section,
)
from bot.blocks.links import linked
from bot.blocks.message import Block, Message
from bot.blocks.text import (
    SYMBOLS,
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
from bot.domains.end_views import end_sign, ends, sign_words, soon_words
from bot.scans.bulk_record import INTERRUPTED, BulkScan, End, Item
from bot.scans.bulk_runner import MAX_DOMAINS
from bot.scans.fact_views import SIGNS, end_named_by, issues_title
from bot.scans.service import SECONDS_EACH
from bot.tracker.findings import SEVERITIES, SOON_DAYS, Issue, Knowledge, ScanFacts, Severity
from bot.tracker.health import band_of
from bot.tracker.rate_limit import BudgetState
from bot.tracker.readings import section_name

# Names that the portfolio lacks, each with those most like it.
Unknown = Sequence[tuple[str, Sequence[str]]]
START, STOP = "bulk.start", "bulk.stop"
# As START, in a message that stays.
START_ALL = "bulk.all"
SHOW_PART = "bulk.show"
SIGNS_CHANGED = "Did your team change this?"
MIN_POINTS = 5  # as in digests
MAX_FORM_BLOCKS = 98  # of 100, without the title
LISTS = 1  # after the last scan
BAR_SQUARES = 10
MAX_LINES = 5  # of each part: a summary should fit a phone
MAX_UNKNOWN = 10
MAX_PART_CHARS = 2_500
MAX_HOST_CHARS = 80
MAX_NAMES_CHARS = 300
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
            f"Or scan the first {MAX_DOMAINS}? {_cost(MAX_DOMAINS, allowance)}",
            _meant(items[:MAX_DOMAINS]),
        ]
        button_below = button(f"Scan {MAX_DOMAINS}", START, selection)
    elif count:
        lines[:0] = [price_text(count, allowance), _meant(items)]
        button_below = button("Start", START, selection, style="primary")
        if button_below is None:
            lines.append(f"These names are too long for one bulk scan. {NARROW}")
    cancel = cancel_button() if items and button_below else None
    return message_of(*paragraphs(lines), *actions(button_below, cancel))


def _meant(items: Sequence[Item]) -> str:
    """Return the domains that a question is about, as far as they fit."""
    shown = lines_within((literal(host_text(item.host)) for item in items), MAX_NAMES_CHARS)
    left = len(items) - len(shown)
    return ", ".join(shown) + (f" and {left:,} more" if left else "")


def price_text(count: int, allowance: BudgetState | None) -> str:
    """Return the question whether to scan so many domains, with what that costs."""
    return f"*Scan {plural(count, 'domain')}?* {_cost(count, allowance)}"


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


def _cost(count: int, allowance: BudgetState | None) -> str:
    budget, about = allowance or BudgetState(), f"About {_span(count)} and {count + LISTS:,}"
    if budget.remaining is None:
        return f"{about} requests; how many are left this hour is not known yet."
    free = max(0, budget.remaining - budget.reserve)
    text = f"{about} of the {plural(free, 'request')} left this hour."
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
    of_all = "" if len(scanned) == run.count else f"{len(scanned):,} of "
    stopped = "Stopped: " if run.left else ""
    head = f"{stopped}{of_all}{plural(run.count, 'domain')} scanned"
    head += f", {len(failed):,} failed" if failed else ""
    parts = _parts(run, now)
    facts = [item.facts for item in scanned if item.facts]
    has_ends = any(soon_words(each, now) for each in facts)
    known = _summary(facts, has_issues=any(each.issues for each in facts), has_ends=has_ends)
    about = "  ·  ".join(filter(None, [_what(run), _why(run)]))
    return message_of(
        header(head),
        *map(section, filter(None, [about, known if scanned else ""])),
        *(_part(run, title, lines) for title, lines in parts.items() if lines),
        *actions(_rest_button(run), run_button("All domains", "/domains")),
    )


def _parts(run: BulkScan, now: datetime) -> dict[str, list[str]]:
    """Return the lines of each part of a summary, by its title."""
    scanned = run.scanned
    return {
        SIGNS_CHANGED: _sign_lines(scanned),
        "Worst issues first": _issue_lines(scanned, now),
        "Expires within 30 days": _end_lines(scanned, now),
        "Health changed": _move_lines(scanned),
        "Could not be checked": _unchecked_lines(scanned),
        "Failed": [f"{_name(each.host, each.domain_id)}: {_trouble(each)}" for each in run.failed],
    }


def part_form(run: BulkScan, title: str, now: datetime) -> Block:
    """Return the form with all lines of a part of a summary."""
    lines = _parts(run, now).get(title) or ["Nothing."]
    blocks = paragraphs([f"• {line}" for line in lines])
    return notice("Bulk scan", [section(f"*{title}*"), *blocks[:MAX_FORM_BLOCKS]])


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
        said.append("Nothing expires within 30 days.")
    if issues < len(facts) or dates < len(facts):
        said.append(f"Dates known for {dates:,} of {count}, issues for {issues:,}.")
    return " ".join(said)


def _unchecked_lines(items: Sequence[Item]) -> list[str]:
    return [
        f"{_name(item.host, item.domain_id)}: {', '.join(map(section_name, item.facts.failed))}"
        for item in items
        if item.facts and item.facts.failed
    ]


def _why(run: BulkScan) -> str:
    """Return why it ended before its last domain, or nothing."""
    if run.end in {None, End.DONE}:
        return ""
    if run.end is End.STOPPED:
        return f"<@{run.stopped_by}> stopped it." if _by_another(run) else ""
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


def _part(run: BulkScan, title: str, lines: Sequence[str]) -> Block:
    """Return a titled part of a summary, with a button for what is left out."""
    most = MAX_LINES + (len(lines) == MAX_LINES + 1)  # `and 1 more` would take its line
    shown = lines_within(lines[:most], MAX_PART_CHARS)
    left = len(lines) - len(shown)
    more = [f"• and {left:,} more"] if left else []
    value = json.dumps([run.run_id, title])
    show_all = button("Show all", SHOW_PART, value, accessibility_label=f"Show all: {title}")
    text = "\n".join([f"*{title}*", *(f"• {line}" for line in shown), *more])
    return section(text, show_all if left else None)


def _sign_lines(items: Sequence[Item]) -> list[str]:
    return [
        f"{_name(item.host, item.domain_id)}: {literal(sign_words(change), 200)}"
        for item in items
        for change in item.signs
    ]


def _issue_lines(items: Sequence[Item], now: datetime) -> list[str]:
    """Return the worst issues of each domain, but for ends, which have their own part."""
    rated = [
        (tuple(-facts.counts.get(severity, 0) for severity in SEVERITIES), item.host, facts, worst)
        for item in items
        if (facts := item.facts) and (worst := _issues_without_ends(facts, now))
    ]
    return [
        f"{SIGNS[_worst(facts)]} {_name(host)}: "
        f"{'; '.join(literal(issue.title, 80) for issue in worst)} ({issues_title(facts)})"
        for _rank, host, facts, worst in sorted(rated, key=lambda each: each[:2])
    ]


def _worst(facts: ScanFacts) -> Severity:
    """Return the worst severity of all that are counted, ends too."""
    return next(severity for severity in SEVERITIES if facts.counts.get(severity))


def _issues_without_ends(facts: ScanFacts, now: datetime) -> list[Issue]:
    soon = {name for name, end in ends(facts) if end.days_left(now) <= SOON_DAYS}
    return [issue for issue in facts.issues if end_named_by(issue) not in soon]


def _end_lines(items: Sequence[Item], now: datetime) -> list[str]:
    """Return all that ends soon, a line for each domain, the first one first."""
    near = [
        (ends(facts)[0][1], item, text)
        for item in items
        if (facts := item.facts) and (text := soon_words(facts, now))
    ]
    signs = (end_sign(end, now, is_owned=item.is_owned) for end, item, _text in near)
    lines = [
        (end.day, f"{sign} {_name(item.host, item.domain_id)}: {text}".strip())
        for sign, (end, item, text) in zip(signs, near, strict=True)
    ]
    return [line for _day, line in sorted(lines)]


def _move_lines(items: Sequence[Item]) -> list[str]:
    """Return the changes of the score that digests tell, another rating first, then falls."""
    moves = [
        (
            band_of(item.score) is band_of(item.score_after),
            after - before,
            item.host,
            before,
            after,
        )
        for item in items
        if (before := item.score) is not None and (after := item.score_after) is not None
    ]
    return [
        f"{_name(host)}: {_dotted(before)} → {_dotted(after)} {'▲' if change > 0 else '▼'}"
        for is_same_band, change, host, before, after in sorted(moves)
        if not is_same_band or abs(change) >= MIN_POINTS
    ]


def _dotted(score: float) -> str:
    return f"{SYMBOLS[band_of(score)]} {score_number(score)}"


def _trouble(item: Item) -> str:
    return _TROUBLES.get(item.trouble or "", "Domain Tracker returned an unexpected response")


def _name(host: str, domain_id: str | None = None) -> str:
    return linked(bold(host_text(host), MAX_HOST_CHARS), host, domain_id)


NEVER_SCANNED = "scanned:never"


def scan_all_label(never_scanned: int) -> str:
    """Return the label of the button that scans all, or as many as one bulk scan takes."""
    is_all = never_scanned <= MAX_DOMAINS
    return f"Scan all {never_scanned}" if is_all else f"Scan {MAX_DOMAINS}"
