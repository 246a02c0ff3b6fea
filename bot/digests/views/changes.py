"""Word the changes and the notes of a digest's post. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, islice

from bot.blocks.builders import text_of, text_section
from bot.blocks.message import Message
from bot.blocks.text import (
    code,
    day_text,
    host_text,
    literal,
    outside,
    plural,
    score_number,
)
from bot.digests.report import Move, Report, better_moves, worse_moves
from bot.digests.views.wording import (
    MAX_GROUP_CHARS,
    MINUS,
    ChangeGroup,
    domain_line,
)
from bot.dispatch.command_text import unescaped
from bot.domains.end_dates import MAX_TITLE_CHARS, EndDates, Ending, KnownChange, KnownIssue
from bot.domains.end_views import scanned_text, sign_words, soon_text, soon_words
from bot.domains.query import parse_query, query_text
from bot.domains.views import score_mrkdwn
from bot.scans.fact_views import SIGNS
from bot.tracker.findings import Severity
from bot.tracker.health import band_of
from bot.tracker.hijack_signs import ISSUER, kind_of
from bot.tracker.models import Domain
from bot.tracker.readings import section_name

# In a post, which fits a screen, and in its details.
MAX_LISTED, MAX_LISTED_IN_DETAILS = 3, 40
MAX_DETAILS_CHARS = 900
MAX_TITLES = 5
MAX_SIGN_CHARS = 200
ONE_DAY = timedelta(days=1)
_NO_BREAKS = str.maketrans(" ", "\N{NO-BREAK SPACE}")


def change_groups(
    report: Report, now: datetime, filter_text: str, *, is_long: bool = False
) -> list[ChangeGroup]:
    """Return what got worse, ends soon and is new among issues, then the other changes.

    Of many domains of one kind a post names the first, or none; `is_long`: it names them.
    """
    is_filtered = bool(filter_text)
    unknown = _unknown(report)
    is_new = "new, or now matching the filter" if is_filtered else "new"
    worse, better = worse_moves(report), better_moves(report)
    groups = (
        _moved("📉", "got worse", worse, len(report.crossed_down), "lower", is_listed=True),
        _poor_first(report),
        _changed(report),
        _soon(report, now),
        _issues(report, now),
        # The first digest names all known issues.
        *([_open_issues(report, now, filter_text)] if report.since and report.open_issues else []),
        *([unknown] if report.lost else []),
        _renewed(report),
        _unchecked(report),
        _gone(report, is_filtered=is_filtered),
        _added(report.new, is_new),
        _moved("📈", "got better", better, len(report.crossed_up), "higher", is_listed=False),
        _added(_found(report), "with a score now"),
        *([] if report.lost else [unknown]),
    )
    return [group if is_long else _short(group) for group in groups if group.count]


def _short(group: ChangeGroup) -> ChangeGroup:
    """Return a group with the lines of a post; `and 1 more` would take the line of the fourth."""
    listed = MAX_LISTED + (group.is_listed and group.count == MAX_LISTED + 1)
    is_named = group.is_listed or group.is_named or group.count <= MAX_LISTED
    return replace(
        group, lines=group.lines[:listed] if is_named else (), max_chars=MAX_GROUP_CHARS
    )


def delta_text(before: float, after: float) -> str:
    """Return the difference of two rounded scores such as `▲ +1.5`, or nothing."""
    points = rounded_delta(before, after)
    if points > 0:
        return f"▲ +{points:g}"
    return f"▼ {MINUS}{-points:g}" if points < 0 else ""


def rounded_delta(before: float, after: float) -> float:
    """Return the difference of two rounded scores, with one decimal at most."""
    return round(float(score_number(after)) - float(score_number(before)), 1)


def _group(
    symbol: str,
    title: str,
    lines: Iterable[str],
    count: int,
    more: str = "",
    *,
    is_listed: bool = False,
) -> ChangeGroup:
    shown = tuple(islice(lines, MAX_LISTED_IN_DETAILS))
    return ChangeGroup(
        symbol, title, count, shown, more, is_listed=is_listed, max_chars=MAX_DETAILS_CHARS
    )


def _moved(
    symbol: str, verb: str, moves: Sequence[Move], crossed: int, rating: str, *, is_listed: bool
) -> ChangeGroup:
    # The rating is left out where every move changed it.
    more = f", {crossed:,} to a {rating} rating" if 0 < crossed < len(moves) else ""
    title = f"{plural(len(moves), 'domain')} {verb}"
    lines = (domain_line(move.domain.domain, f" {move_text(move)}") for move in moves)
    return _group(symbol, title, lines, len(moves), more, is_listed=is_listed)


def _poor_first(report: Report) -> ChangeGroup:
    moves = report.poor_first
    lines = (
        domain_line(move.domain.domain, score_mrkdwn(move.domain.health_score)) for move in moves
    )
    title = f"{plural(len(moves), 'domain')} with a first score below fair"
    return _group("📉", title, lines, len(moves), is_listed=True)


def _found(report: Report) -> list[Domain]:
    """Return the domains with a first score that is not below fair."""
    return [move.domain for move in report.found if move not in report.poor_first]


def _changed(report: Report) -> ChangeGroup:
    lines = (changed_line(domain, change) for domain, _, change in report.changed)
    title = "Changed: did your team do this?"
    return _group("🔀", title, lines, len(report.changed), is_listed=True)


def changed_line(domain: Domain, change: KnownChange) -> str:
    """Return a domain and the sign of who controls it that changed, as mrkdwn."""
    return domain_line(domain.domain, literal(sign_words(change), MAX_SIGN_CHARS))


def _renewed(report: Report) -> ChangeGroup:
    lines = (
        domain_line(domain.domain, f"{name} until {day_text(end.day)}")
        for domain, name, end in report.renewed
    )
    return replace(_group("🔁", "Renewed", lines, len(report.renewed)), is_named=True)


def _soon(report: Report, now: datetime) -> ChangeGroup:
    """Return what ends soon, first what came to fewer days since the last digest."""
    age = _common_age([row.ends for _, row in report.soon], now)
    nearer = {domain.domain for domain in report.nearer}
    soon = sorted(report.soon, key=lambda each: _urgency(report, each, nearer, now))
    lines = (
        domain_line(
            domain.domain, soon_text(row, now, age=not age, is_owned=report.is_owned(domain))
        )
        for domain, row in soon
    )
    more = f" ({age})" if age else ""
    more += f"  ·  {len(nearer):,} closer than last time" if nearer else ""
    title = f"Expires within {report.rule.horizon} days"
    return _group("⏳", title, lines, len(report.soon), more, is_listed=True)


def _urgency(
    report: Report, soon: tuple[Domain, Ending], nearer: Collection[str], now: datetime
) -> tuple[bool, bool, bool]:
    """Return a key by which what has ended comes first, of owned domains before others."""
    domain, row = soon
    return not report.is_owned(domain), not _has_ended(row, now), domain.domain not in nearer


def _has_ended(row: Ending, now: datetime) -> bool:
    return row.ends.first is not None and row.ends.first.has_ended(now)


def _issues(report: Report, now: datetime) -> ChangeGroup:
    """Return the issues, those of one domain on one line."""
    age = _common_age([row for _, row, _ in report.issues], now)
    by_domain: dict[str, list[KnownIssue]] = {}
    scanned: dict[str, EndDates] = {}
    for domain, row, issue in report.issues:
        by_domain.setdefault(domain.domain, []).append(issue)
        scanned[domain.domain] = row
    lines = (
        issues_line(host, issues, "" if age else scanned_text([scanned[host]], now))
        for host, issues in by_domain.items()
    )
    title = "New issues" if report.since else "Known issues"
    return _group("🚨", title, lines, len(by_domain), age and f" ({age})", is_listed=True)


def issues_line(host: str, issues: Sequence[KnownIssue], age: str = "") -> str:
    """Return a domain and its first issues as mrkdwn."""
    left_out = len(issues) - MAX_TITLES
    named = "; ".join(map(_issue_text, issues[:MAX_TITLES]))
    more = f"; and {left_out:,} more" if left_out > 0 else ""
    return domain_line(host, f"{named}{more}{age and f' ({age})'}")


def _issue_text(issue: KnownIssue) -> str:
    word = "Unrated" if issue.severity is Severity.UNKNOWN else issue.severity.capitalize()
    return f"{SIGNS[issue.severity]} {word}: {_title(issue)}"


def _title(issue: KnownIssue) -> str:
    return literal(issue.title or "no title given", MAX_TITLE_CHARS)


def _open_issues(report: Report, now: datetime, filter_text: str) -> ChangeGroup:
    """Return the domains with critical, high or unrated issues, and how to list them."""
    found = report.open_issues
    lines = (
        domain_line(domain.domain, f"{SIGNS[issue.severity]} {_title(issue)}")
        for domain, _, issue in found
    )
    query = parse_query(filter_text)
    least = Severity.CRITICAL if query.issues is Severity.CRITICAL else Severity.HIGH
    line = unescaped(f"/domains {query_text(replace(query, issues=least))}")
    age = scanned_text([row for _, row, _ in found], now)
    title = f"Still open on {plural(len(found), 'domain')}"
    more = f" ({age}; all: {code(line, len(line))})"
    return replace(_group("🚨", title, lines, len(found), more), is_named=True)


def _unchecked(report: Report) -> ChangeGroup:
    lines = (
        domain_line(domain.domain, ", ".join(map(section_name, row.failed)))
        for domain, row in report.unchecked
    )
    title = "Could not be checked in the last scan"
    return replace(_group("⚠️", title, lines, len(report.unchecked)), is_named=True)


def _common_age(rows: Sequence[EndDates], now: datetime) -> str:
    """Return the age of these scans, or nothing when they are more than a day apart."""
    scanned = [row.scanned_at for row in rows]
    is_one = bool(rows) and max(scanned) - min(scanned) <= ONE_DAY
    return scanned_text(rows, now) if is_one else ""


def _unknown(report: Report) -> ChangeGroup:
    lost = {move.domain.domain: move for move in report.lost}
    others = (domain for domain in report.unknown if domain.domain not in lost)
    lines = chain(
        (_was(move.domain.domain, move.before) for move in report.lost),
        (domain_line(domain.domain, "") for domain in others),
    )
    count = len(report.unknown)
    more = f", {len(lost):,} had one before" if lost else ""
    return _group("⚪", f"{plural(count, 'domain')} with no score yet", lines, count, more)


def _gone(report: Report, *, is_filtered: bool) -> ChangeGroup:
    count = len(report.gone)
    title = "gone, or no longer matching the filter" if is_filtered else "gone"
    lines = (_was(host, score) for host, score in report.gone)
    return _group("\N{HEAVY MINUS SIGN}", f"{plural(count, 'domain')} {title}", lines, count)


def _added(domains: Sequence[Domain], title: str) -> ChangeGroup:
    lines = (domain_line(each.domain, score_mrkdwn(each.health_score)) for each in domains)
    title = f"{plural(len(domains), 'domain')} {title}"
    return _group("\N{HEAVY PLUS SIGN}", title, lines, len(domains))


def _was(host: str, before: float | None) -> str:
    return domain_line(host, f"(was {score_mrkdwn(before)})")


def move_text(move: Move) -> str:
    """Return `🟢 85 good → 🔴 41 poor  ▼ …` on one line."""
    before, after = move.before or 0, move.after or 0  # a move has both scores
    is_across = band_of(before) is not band_of(after)
    shown = score_mrkdwn(before) if is_across else score_number(before)
    moved = f"{shown} → {score_mrkdwn(after)}  {delta_text(before, after)}"
    return moved.translate(_NO_BREAKS)


MAX_NEWS_CHARS = 120


def news_text(report: Report, now: datetime) -> str:
    """Return the worst news with its domain in plain words, or nothing: what a phone shows."""
    return next(_news_of(report, now), "")


def _news_of(report: Report, now: datetime) -> Iterator[str]:
    """Yield the news, the worst first: a possible hijack, what has ended, a fall, and so on.

    Then what ends soon, of owned domains first, a new issue, and other changes.
    """
    changes = sorted(report.changed, key=lambda each: kind_of(each[2].sign) == ISSUER)
    taken = {domain.domain for domain in report.taken}
    for domain, _row, change in changes:
        if domain.domain in taken and kind_of(change.sign) != ISSUER:
            yield _news(domain, sign_words(change))
    ending = _nearest(report)
    ended = [(domain, row) for domain, row in ending if _has_ended(row, now)]
    for domain, row in ended:
        yield _news(domain, soon_words(row.ends, now, row.within))
    for move in worse_moves(report):
        before, after = score_number(move.before or 0), score_number(move.after or 0)
        yield _news(move.domain, f"health {before} → {after}")
    for move in report.poor_first:
        yield _news(move.domain, f"first score {score_number(move.after or 0)}")
    for domain, row in ending:
        if words := soon_words(row.ends, now, row.within):
            yield _news(domain, words)
    for domain, _row, issue in report.issues:
        yield _news(domain, issue.title or "new issue")
    for domain, _row, change in changes:
        yield _news(domain, sign_words(change))


def with_news(message: Message, report: Report, now: datetime) -> Message:
    """Return the message whose text, which notifications show, begins with the worst news."""
    news = news_text(report, now)
    return (
        replace(message, text=text_of([text_section(news), *message.blocks])) if news else message
    )


def _nearest(report: Report) -> list[tuple[Domain, Ending]]:
    nearer = {domain.domain for domain in report.nearer}
    rows = [each for each in report.soon if each[0].domain in nearer or report.since is None]
    return sorted(rows, key=lambda each: not report.is_owned(each[0]))


def _news(domain: Domain, words: str) -> str:
    return outside(f"{host_text(domain.domain)}: {words.rstrip('.')}.", MAX_NEWS_CHARS)
