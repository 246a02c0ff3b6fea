"""What has changed since the last digest: a few domains of each kind, and how many more. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from bot.digests.report import Move, Report, better_moves, worse_moves
from bot.health import band_of
from bot.tracker.models import Domain
from bot.views.health import score_text, score_words
from bot.views.text import code, escaped, host_shown, plural, score_number

MAX_LISTED = 5
MAX_IN_LINE = 3
MAX_HOST_CHARS = 80
MAX_GROUP_CHARS = 450
"""Only names that are not any host's are ever so long; the first is always told."""

MINUS = "\N{MINUS SIGN}"
_TOGETHER = str.maketrans(" ", "\N{NO-BREAK SPACE}")


@dataclass(frozen=True, slots=True)
class Told:
    """A domain and what is said of it, to eyes (mrkdwn) and to ears."""

    host: str
    shown: str
    spoken: str

    @property
    def as_shown(self) -> str:
        """The domain in a block."""
        return f"{code(host_shown(self.host), MAX_HOST_CHARS)} {self.shown}".strip()

    @property
    def as_spoken(self) -> str:
        """The domain in a message's text."""
        return f"{escaped(host_shown(self.host), MAX_HOST_CHARS)} {self.spoken}".strip()


@dataclass(frozen=True, slots=True)
class Group:
    """Domains of which the same is to be told: `count` of them, the first few in `told`."""

    symbol: str
    title: str
    more: str
    count: int
    told: tuple[Told, ...]
    is_listed: bool = False  # a line for each

    @property
    def as_shown(self) -> str:
        """The group in a block."""
        parts = _fitting([each.as_shown for each in self.told])
        left_out = self.count - len(parts)
        heading = f"{self.symbol} *{self.title}*{self.more}"
        if self.is_listed:
            lines = [heading, *(f"• {part}" for part in parts)]
            return "\n".join([*lines, *([f"• and {left_out:,} more"] if left_out else [])])
        return f"{heading}: {', '.join(parts)}{f' and {left_out:,} more' if left_out else ''}"

    @property
    def as_spoken(self) -> str:
        """The group as a sentence of a message's text."""
        parts = _fitting([each.as_spoken for each in self.told])
        left_out = self.count - len(parts)
        more = f"; and {left_out:,} more" if left_out else ""
        return f"{self.title}{self.more}: {'; '.join(parts)}{more}."


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
    crossed = len(report.crossed_down)
    return Group(
        symbol="📉",
        title=f"{plural(len(moves), 'domain')} got worse",
        more=f", {crossed:,} into a lower band" if crossed else "",
        count=len(moves),
        told=_moved(moves),
        is_listed=True,
    )


def _better(report: Report) -> Group:
    moves = better_moves(report)
    crossed = len(report.crossed_up)
    return Group(
        symbol="📈",
        title=f"{plural(len(moves), 'domain')} got better",
        more=f", {crossed:,} into a higher band" if crossed else "",
        count=len(moves),
        told=_moved(moves),
        is_listed=True,
    )


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
    # A filter such as below:70 is left by getting better, too.
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


def _fitting(parts: Sequence[str]) -> list[str]:
    """The first of `parts`, at least one, that are no longer than a group may be."""
    fitting, chars = list(parts[:1]), len(parts[0]) if parts else 0
    for part in parts[1:]:
        chars += len(part)
        if chars > MAX_GROUP_CHARS:
            break
        fitting.append(part)
    return fitting
