"""Portfolios of invented domains that look like those of a company with many brands."""

import random
from dataclasses import dataclass

import idna

from bot.playground.tracker.samples.facts import DATA, sample_health, stream

# Every other one is listed in punycode, as services do that never learned better.
FOREIGN_BRANDS = tuple(
    name if place % 2 == 0 else idna.encode(name, uts46=True).decode()
    for place, name in enumerate(DATA["foreign_brands"])
)
TYPES = ["owned"] * 15 + DATA["types"]


@dataclass(frozen=True)
class SampleDomain:
    """One line of a portfolio. `health` None is a null score; without `has_score`, none at all."""

    domain: str
    health: float | None
    has_score: bool
    domain_type: str
    tags: tuple[str, ...]
    folder: str | None


def sample_portfolio(count: int, seed: int = 1) -> list[SampleDomain]:
    """Return `count` different domains, the same for the same seed.

    About one in 25 is international, one in 33 has no score, one in 100 a null score, and one in
    five is in no folder.
    """
    pick = stream(str(seed), "portfolio")
    names: dict[str, None] = {}
    while len(names) < count:
        name = _name(pick)
        names[f"n{len(names)}.{name}" if name in names else name] = None
    return [_sample(name, pick) for name in names]


def _name(pick: random.Random) -> str:
    foreign = pick.random() < 0.04
    brand = (
        pick.choice(FOREIGN_BRANDS)
        if foreign
        else pick.choice(DATA["brands"]) + pick.choice(DATA["trades"])
    )
    site, end = pick.choice(DATA["sites"]), pick.choice(DATA["ends"])
    return f"{site}{brand}.{end}"


def _sample(name: str, pick: random.Random) -> SampleDomain:
    score, health = pick.random(), sample_health(name)
    return SampleDomain(
        domain=name,
        health=None if 0.03 <= score < 0.04 else health + 0.5 if 0.04 <= score < 0.06 else health,
        has_score=score >= 0.03,
        domain_type=pick.choice(TYPES),
        tags=tuple(sorted(pick.sample(DATA["tags"], pick.choice((0, 1, 1, 2, 3))))),
        folder=None if pick.random() < 0.2 else pick.choice(DATA["folders"]),
    )
