"""Portfolios of invented domains, and what is true of each, so that the parts of a scan agree.

Everything follows from the name, the day and the health score; nothing is remembered, and nothing
changes from one day to the next but what would change in the world.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

import idna
import yaml

T = TypeVar("T")

DATA: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("samples.yaml").read_text("utf-8"))
SCORE_MOVES = (-3, -2, -1, 1, 2, 3)


def stream(domain: str, topic: str) -> random.Random:
    """Return random numbers that are the same for one domain and topic in every run."""
    return random.Random(f"{topic}/{domain}")  # noqa: S311 - sample data, not a secret


def sample_health(domain: str) -> int:
    """Return a score of 0 to 100; like real portfolios, mostly good with a tail of bad ones."""
    loss: float = 72 * stream(domain, "health").random() ** 2.2
    return round(99 - loss)


def is_score(health: object) -> TypeGuard[int | float]:
    if isinstance(health, bool) or not isinstance(health, int | float):
        return False
    return math.isfinite(health) and 0 <= health <= 100


def health_after_scan(domain: str, health: object, scan_number: int) -> object:
    """Return the score after a scan: a little off, the same in every run; what is none stays."""
    if health is None:
        return sample_health(domain)
    if not is_score(health):
        return health
    move = stream(domain, f"scan {scan_number}").choice(SCORE_MOVES)
    return health + move if 0 <= health + move <= 100 else health - move


@dataclass(frozen=True)
class Facts:
    """One domain on one day, with its score and how often it has moved to others."""

    domain: str
    today: date
    score: float
    registrar_moves: int = 0
    dns_moves: int = 0

    def stream(self, topic: str) -> random.Random:
        return stream(self.domain, topic)

    def fails(self, check: str, rarity: float = 1.0) -> bool:
        """Say whether a check fails: less often with a better score and a higher `rarity`."""
        likelihood: float = (1 - self.score / 100) ** rarity
        return stream(self.domain, f"check {check}").random() < likelihood

    def days_since(self, topic: str, every_days: int) -> int:
        """Return how long ago something happened that comes round every so many days."""
        phase = stream(self.domain, topic).randrange(every_days)
        return (self.today.toordinal() - phase) % every_days

    def in_days(self, days: int) -> date:
        return self.today + timedelta(days=days)


def moved(facts: Facts, topic: str, choices: Sequence[T], moves: int) -> T:
    """Return the domain's choice of a topic, so many moves later."""
    first = facts.stream(topic).randrange(len(choices))
    return choices[(first + moves) % len(choices)]


PROVIDERS = ("postline", "mailhaven", "rapidpost")


def receives_mail(facts: Facts) -> bool:
    return facts.stream("mail").random() < 0.8


def mail_provider(facts: Facts) -> str:
    return facts.stream("mail provider").choice(PROVIDERS)


def spf_record(facts: Facts) -> str | None:
    """Return the SPF policy, or None when the domain publishes none."""
    if facts.fails("spf", rarity=1.5):
        return None
    if not receives_mail(facts):
        return "v=spf1 -all"
    ending = "~all" if facts.fails("spf all") else "-all"
    return f"v=spf1 include:_spf.{mail_provider(facts)}.example {ending}"


def dmarc_policy(facts: Facts) -> str | None:
    """Return "none", "quarantine" or "reject", or None when the domain publishes none."""
    if facts.fails("dmarc", rarity=1.2):
        return None
    if facts.fails("dmarc policy", rarity=0.7):
        return "none"
    return facts.stream("dmarc kind").choice(("quarantine", "reject"))


def dmarc_record(facts: Facts) -> str | None:
    policy = dmarc_policy(facts)
    return policy and f"v=DMARC1; p={policy}; rua=mailto:dmarc@{facts.domain}"


# Every other one is listed in punycode, as services do that never learned better.
FOREIGN_BRANDS = tuple(
    name if place % 2 == 0 else idna.encode(name, uts46=True).decode()
    for place, name in enumerate(DATA["foreign_brands"])
)
TYPES = ["owned"] * 15 + DATA["types"]


def sample_portfolio(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """Return the fields of `count` different domains, the same for the same seed.

    Some are international; some scores are odd, None, or not there.
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


def _sample(name: str, pick: random.Random) -> dict[str, Any]:
    score, health = pick.random(), sample_health(name)
    odd = None if score < 0.04 else health + 0.5 if score < 0.06 else health
    return {
        "domain": name,
        **({"health": odd} if score >= 0.03 else {}),
        "domain_type": pick.choice(TYPES),
        "tags": tuple(sorted(pick.sample(DATA["tags"], pick.choice((0, 1, 1, 2, 3))))),
        "folder": None if pick.random() < 0.2 else pick.choice(DATA["folders"]),
    }
