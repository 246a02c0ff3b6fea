"""Word the changes and the news of a digest's post. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import chain, islice

from bot.blocks.builders import text_of, text_section
from bot.blocks.message import Message
from bot.blocks.text import (
    code,
    day_token,
    host_text,
    lines_within,
    literal,
    outside,
    plural,
    score_number,
)
from bot.digests.report import Move, Report, better_moves, worse_moves
from bot.digests.views.wording import MINUS, domain_line
from bot.dispatch.command_text import unescaped
from bot.domains.end_views import scanned_text, sign_words, soon_text, soon_words
from bot.domains.kept_facts import MAX_TITLE_CHARS, Ending, KeptFacts, KnownChange, KnownIssue
from bot.domains.query import parse_query, query_text
from bot.domains.views import score_mrkdwn
from bot.scans.fact_views import SIGNS
from bot.tracker.health import band_of
from bot.tracker.hijack_signs import ISSUER, kind_of
from bot.tracker.models import Domain
from bot.tracker.readings import section_name
from bot.tracker.scan_facts import Severity

# The most lines and characters of a group in a post, which fits a screen, and in its details.
IN_POST, IN_DETAILS = (3, 450), (40, 900)
MAX_TITLES = 5
MAX_SIGN_CHARS = 200
MAX_NEWS_CHARS = 120
ONE_DAY = timedelta(days=1)
PLUS = "\N{HEAVY PLUS SIGN}"
_NO_BREAKS = str.maketrans(" ", "\N{NO-BREAK SPACE}")


@dataclass(frozen=True, slots=True)
class _Group:
    """`count` domains with the same kind of change, a line for each, made once it is read.

    `more` ends the title, `end` what follows it. `is_listed`: each line stands on its own, and in
    a post before what is not listed. `is_named`: a post names the first ones, however many.
    """

    symbol: str
    title: str
    lines: Iterable[str]
    count: int
    more: str = ""
    end: str = ""
    is_listed: bool = False
    is_named: bool = False

    def mrkdwn(self, *, is_long: bool) -> str:
        """Return the group for a post, or for its details, which name more of it."""
        most, chars = IN_DETAILS if is_long else IN_POST
        # `and 1 more` would take the line of the fourth.
        most += self.is_listed and self.count == most + 1
        is_named = is_long or self.is_listed or self.is_named or self.count <= most
        lines = list(islice(self.lines, most if is_named else 0))
        parts = lines_within(lines, chars) or lines[:1]
        more = [f"and {left_out:,} more"] if (left_out := self.count - len(parts)) else []
        if self.is_listed:
            title = f"{self.symbol} *{self.title}*{self.more}"
            return "\n".join([title, *(f"• {part}" for part in [*parts, *more])])
        named = f": {' '.join([', '.join(parts), *more])}" if parts else ""
        return f"{self.symbol} {self.title}{self.more}{named}{self.end}"


def change_texts(
    report: Report, now: datetime, filter_text: str, *, is_long: bool = False
) -> list[str]:
    """Return what got worse, ends soon and is new among issues, then the other changes.

    Of many domains of one kind a post names the first, or none; `is_long`: it names them.
    """
    is_new = "new, or now matching the filter" if filter_text else "new"
    is_gone = "gone, or no longer matching the filter" if filter_text else "gone"
    worse, better = worse_moves(report), better_moves(report)
    poor_first = [move.domain for move in report.poor_first]
    found = [move.domain for move in report.found if move not in report.poor_first]
    is_open = report.since and report.open_issues  # the first digest names all known issues
    groups = (
        _moved("📉", "got worse", worse, len(report.crossed_down), "lower", is_listed=True),
        _scored("📉", poor_first, "with a first score below fair", is_listed=True),
        _changed(report),
        _soon(report, now),
        _issues(report, now),
        *([_open_issues(report, filter_text, is_long=is_long)] if is_open else []),
        _unknown(report),
        _renewed(report),
        _unchecked(report),
        _gone(report, is_gone),
        _scored(PLUS, report.new, is_new),
        _moved("📈", "got better", better, len(report.crossed_up), "higher", is_listed=False),
        _scored(PLUS, found, "with a score now"),
    )
    there = [(group.is_listed, group.mrkdwn(is_long=is_long)) for group in groups if group.count]
    others = "\n".join(text for is_listed, text in there if not is_listed)
    return [*(text for is_listed, text in there if is_listed), *filter(None, [others])]


def delta_text(before: float, after: float) -> str:
    """Return the difference of two rounded scores such as `▲ +1.5`, or nothing."""
    points = rounded_delta(before, after)
    if points > 0:
        return f"▲ +{points:g}"
    return f"▼ {MINUS}{-points:g}" if points < 0 else ""


def rounded_delta(before: float, after: float) -> float:
    return round(float(score_number(after)) - float(score_number(before)), 1)


def move_text(move: Move) -> str:
    """Return `🟢 85 good → 🔴 41 poor  ▼ …` on one line."""
    before, after = move.before or 0, move.after or 0  # a move has both scores
    is_across = band_of(before) is not band_of(after)
    shown = score_mrkdwn(before) if is_across else score_number(before)
    moved = f"{shown} → {score_mrkdwn(after)}  {delta_text(before, after)}"
    return moved.translate(_NO_BREAKS)


def sign_text(change: KnownChange) -> str:
    return literal(sign_words(change), MAX_SIGN_CHARS)


def issues_text(issues: Sequence[KnownIssue], age: str = "") -> str:
    left_out = len(issues) - MAX_TITLES
    named = "; ".join(map(_issue_text, issues[:MAX_TITLES]))
    more = f"; and {left_out:,} more" if left_out > 0 else ""
    return f"{named}{more}{age and f' ({age})'}"


def _issue_text(issue: KnownIssue) -> str:
    return f"{SIGNS[issue.severity]} {_severity(issue).capitalize()}: {_title(issue)}"


def _severity(issue: KnownIssue) -> str:
    return "no severity" if issue.severity is Severity.UNKNOWN else issue.severity.value


def _title(issue: KnownIssue) -> str:
    return literal(issue.title or "no title given", MAX_TITLE_CHARS)


def _line(domain: Domain, mrkdwn: str = "") -> str:
    return domain_line(domain.domain, mrkdwn, domain.domain_id)


def _moved(
    symbol: str, verb: str, moves: Sequence[Move], crossed: int, rating: str, *, is_listed: bool
) -> _Group:
    # The rating is left out where every move changed it.
    more = f", {crossed:,} to a {rating} rating" if 0 < crossed < len(moves) else ""
    title = f"{plural(len(moves), 'domain')} {verb}"
    lines = (_line(move.domain, f" {move_text(move)}") for move in moves)
    return _Group(symbol, title, lines, len(moves), more, is_listed=is_listed)


def _changed(report: Report) -> _Group:
    changed = sorted(report.changed, key=lambda each: bool(each[2].expected_by))
    lines = (
        _line(domain, sign_text(change) + (" – expected" if change.expected_by else ""))
        for domain, _, change in changed
    )
    is_open = not all(change.expected_by for _, _, change in changed)
    title = "Changed: did your team do this?" if is_open else "Changed, as expected"
    return _Group("🔀", title, lines, len(report.changed), is_listed=True)


def _renewed(report: Report) -> _Group:
    lines = (
        _line(domain, f"{name} until {day_token(end.day)}") for domain, name, end in report.renewed
    )
    return _Group("🔁", "Renewed", lines, len(report.renewed), is_named=True)


def _soon(report: Report, now: datetime) -> _Group:
    """Return what ends soon: by tomorrow, then what came to fewer days since the last digest."""
    age = _common_age([row.ends for _, row in report.soon], now)
    nearer = {domain.domain for domain in report.nearer}
    soon = sorted(report.soon, key=lambda each: _urgency(each, nearer, now))
    lines = (
        _line(domain, soon_text(row, now, age=not age, is_owned=report.is_owned(domain)))
        for domain, row in soon
    )
    closer = f"{len(nearer):,} closer than last time" if nearer and report.since else ""
    more = "".join(f"  ·  {each}" for each in (closer, age) if each)
    title = f"Expires within {report.rule.horizon} days"
    return _Group("⏳", title, lines, len(soon), more, is_listed=True)


def _urgency(
    soon: tuple[Domain, Ending], nearer: Collection[str], now: datetime
) -> tuple[bool, bool, date]:
    """Return a key by which what has ended or ends by tomorrow comes first, owned or not."""
    domain, row = soon
    first = row.ends.first
    is_urgent = first is not None and first.days_left(now) <= 1
    is_nearer = not is_urgent and domain.domain in nearer
    return not is_urgent, not is_nearer, first.day if first else date.max


def _issues(report: Report, now: datetime) -> _Group:
    """Return the issues, those of one domain on one line."""
    age = _common_age([row for _, row, _ in report.issues], now)
    of_domain: defaultdict[str, list[KnownIssue]] = defaultdict(list)
    for domain, _, issue in report.issues:
        of_domain[domain.domain].append(issue)
    found = {domain.domain: (domain, row) for domain, row, _ in report.issues}
    lines = (
        _line(domain, issues_text(of_domain[host], "" if age else scanned_text([row], now)))
        for host, (domain, row) in found.items()
    )
    title = "New issues" if report.since else "Known issues"
    more = age and f"  ·  {age}"
    return _Group("🚨", title, lines, len(found), more, is_listed=True)


def _open_issues(report: Report, filter_text: str, *, is_long: bool) -> _Group:
    found = report.open_issues
    said = _title if is_long else _severity
    lines = (_line(domain, f"{SIGNS[issue.severity]} {said(issue)}") for domain, _, issue in found)
    query = parse_query(filter_text)
    least = Severity.CRITICAL if query.issues is Severity.CRITICAL else Severity.HIGH
    line = unescaped(f"/domains {query_text(replace(query, issues=least))}")
    end = f". All: {code(line, len(line))}"
    return _Group("🚨", "Still open", lines, len(found), end=end, is_named=True)


def _unchecked(report: Report) -> _Group:
    lines = (
        _line(domain, ", ".join(map(section_name, row.failed))) for domain, row in report.unchecked
    )
    title = "Could not be checked in the last scan"
    return _Group("⚠️", title, lines, len(report.unchecked), is_named=True)


def unchecked_text(report: Report) -> str:
    """Return which sections of which domains the last scan could not check, as mrkdwn, or ""."""
    return _unchecked(report).mrkdwn(is_long=False) if report.unchecked else ""


def _common_age(rows: Sequence[KeptFacts], now: datetime) -> str:
    """Return the age of these scans, or nothing when they are more than a day apart."""
    scanned = [row.scanned_at for row in rows]
    is_one = bool(rows) and max(scanned) - min(scanned) <= ONE_DAY
    return scanned_text(rows, now) if is_one else ""


def _unknown(report: Report) -> _Group:
    lost = {move.domain.domain for move in report.lost}
    others = (domain for domain in report.unknown if domain.domain not in lost)
    lines = chain(
        (_line(move.domain, _was(move.before)) for move in report.lost), map(_line, others)
    )
    count = len(report.unknown)
    more = f", {len(lost):,} had one before" if lost else ""
    title = f"{plural(count, 'domain')} with no score {'now' if lost else 'yet'}"
    return _Group("⚪", title, lines, count, more)


def _gone(report: Report, title: str) -> _Group:
    count = len(report.gone)
    lines = (domain_line(host, _was(score)) for host, score in report.gone)
    return _Group("\N{HEAVY MINUS SIGN}", f"{plural(count, 'domain')} {title}", lines, count)


def _scored(
    symbol: str, domains: Sequence[Domain], title: str, *, is_listed: bool = False
) -> _Group:
    lines = (_line(domain, score_mrkdwn(domain.health_score)) for domain in domains)
    return _Group(
        symbol,
        f"{plural(len(domains), 'domain')} {title}",
        lines,
        len(domains),
        is_listed=is_listed,
    )


def _was(before: float | None) -> str:
    return f"(was {score_mrkdwn(before)})"


def with_news(message: Message, report: Report, now: datetime) -> Message:
    """Return the message whose text, which a phone shows, begins with the worst news in words."""
    news = next(_news_of(report, now), "")
    if not news:
        return message
    return replace(message, text=text_of([text_section(news), *message.blocks]))


def _news_of(report: Report, now: datetime) -> Iterator[str]:
    """Yield the news, the worst first: a possible hijack, what has ended, a fall, and so on.

    Then what ends soon, of owned domains first, a new issue, and other changes.
    """
    changes = sorted(report.changed, key=lambda each: kind_of(each[2].sign) == ISSUER)
    taken = {domain.domain for domain in report.taken}
    for domain, _row, change in changes:
        is_open = domain.domain in taken and not change.expected_by
        if is_open and kind_of(change.sign) != ISSUER:
            yield _news(domain, sign_words(change))
    ending = _nearest(report)
    for domain, row in ending:
        if row.ends.first and row.ends.first.has_ended(now):
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


def _nearest(report: Report) -> list[tuple[Domain, Ending]]:
    nearer = {domain.domain for domain in report.nearer}
    rows = [each for each in report.soon if each[0].domain in nearer or report.since is None]
    return sorted(rows, key=lambda each: not report.is_owned(each[0]))


def _news(domain: Domain, words: str) -> str:
    return outside(f"{host_text(domain.domain)}: {words.rstrip('.')}.", MAX_NEWS_CHARS)
