"""What has changed since the last digest: a few domains of each kind, and how many more. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from bot.digests.report import Move, Report, better_moves, worse_moves
from bot.health import band_of
from bot.tracker.models import Domain
from bot.views.digests.groups import Group, Told
from bot.views.health import score_text, score_words
from bot.views.text import plural, score_number

MAX_LISTED = 5
MAX_IN_LINE = 3

MINUS = "\N{MINUS SIGN}"
_TOGETHER = str.maketrans(" ", "\N{NO-BREAK SPACE}")


def change_groups(report: Report, *, is_filtered: bool) -> list[Group]:
    """Return what has changed, the worst news first, and apart from it what has no score.

    Where there is nothing to compare with, only the latter.
    """
    unknown = _unknown(report)
    groups = (
        _worse(report),
        *([unknown] if report.lost else []),
        _gone(report, is_filtered=is_filtered),
        _new(report, is_filtered=is_filtered),
        _better(report),
        _found(report),
        *([] if report.lost else [unknown]),
    )
    return [group for group in groups if group.count]


def delta_text(before: float, after: float) -> str:
    """Return `▲ +1.5`, its like with `▼`, or nothing: how far apart two scores are as shown."""
    points = shown_delta(before, after)
    if points > 0:
        return f"▲ +{points:g}"
    return f"▼ {MINUS}{-points:g}" if points < 0 else ""


def shown_delta(before: float, after: float) -> float:
    """Return the difference of two scores as they are shown, with at most one decimal."""
    return round(float(score_number(after)) - float(score_number(before)), 1)


def _worse(report: Report) -> Group:
    moves = worse_moves(report)
    return Group(
        symbol="📉",
        title=f"{plural(len(moves), 'domain')} got worse",
        more=_crossed(len(report.crossed_down), len(moves), "lower"),
        count=len(moves),
        told=_moved(moves),
        is_listed=True,
    )


def _better(report: Report) -> Group:
    moves = better_moves(report)
    return Group(
        symbol="📈",
        title=f"{plural(len(moves), 'domain')} got better",
        more=_crossed(len(report.crossed_up), len(moves), "higher"),
        count=len(moves),
        told=_moved(moves),
        is_listed=True,
    )


def _crossed(crossed: int, moved: int, band: str) -> str:
    """How many came into another band, where that is not simply all of them."""
    return f", {crossed:,} into a {band} band" if 0 < crossed < moved else ""


def _unknown(report: Report) -> Group:
    lost = {move.domain.domain: move for move in report.lost}
    others = (domain for domain in report.unknown if domain.domain not in lost)
    told = [_was(move.domain.domain, move.before) for move in report.lost[:MAX_IN_LINE]]
    told += (Told(domain.domain, "", "") for domain in islice(others, MAX_IN_LINE))
    return Group(
        symbol="⚪",
        title=f"{plural(len(report.unknown), 'domain')} without a score",
        more=f", {len(lost):,} had one before" if lost else "",
        count=len(report.unknown),
        told=tuple(told[:MAX_IN_LINE]),
    )


def _gone(report: Report, *, is_filtered: bool) -> Group:
    title = "gone, or no longer matching the filter" if is_filtered else "gone"
    return Group(
        symbol="\N{HEAVY MINUS SIGN}",
        title=f"{plural(len(report.gone), 'domain')} {title}",
        more="",
        count=len(report.gone),
        told=tuple(_was(host, score) for host, score in report.gone[:MAX_IN_LINE]),
    )


def _new(report: Report, *, is_filtered: bool) -> Group:
    title = "new, or matching the filter now" if is_filtered else "new"
    return Group(
        symbol="\N{HEAVY PLUS SIGN}",
        title=f"{plural(len(report.new), 'domain')} {title}",
        more="",
        count=len(report.new),
        told=tuple(_scored(report.new)),
    )


def _found(report: Report) -> Group:
    return Group(
        symbol="\N{HEAVY PLUS SIGN}",
        title=f"{plural(len(report.found), 'domain')} with a score now",
        more="",
        count=len(report.found),
        told=tuple(_scored(move.domain for move in report.found)),
    )


def _was(host: str, before: float | None) -> Told:
    return Told(host, f"(was {score_text(before)})", f"was {score_words(before)}")


def _scored(domains: Iterable[Domain]) -> Iterator[Told]:
    for domain in islice(domains, MAX_IN_LINE):
        score = domain.health_score
        yield Told(domain.domain, score_text(score), score_words(score))


def _moved(moves: Sequence[Move]) -> tuple[Told, ...]:
    return tuple(_move(move) for move in moves[:MAX_LISTED])


def _move(move: Move) -> Told:
    before, after = move.before or 0, move.after or 0  # both are known in what moved
    is_across = band_of(before) is not band_of(after)
    was_shown = score_text(before) if is_across else score_number(before)
    was_spoken = score_words(before) if is_across else score_number(before)
    delta = delta_text(before, after).translate(_TOGETHER)
    return Told(
        move.domain.domain,
        f" {was_shown} → {score_text(after)}  {delta}",
        f"from {was_spoken} to {score_words(after)}",
    )
