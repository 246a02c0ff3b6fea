"""The answers that README.md shows, made by the real bot between the stand-ins.

`python -m tests.readme` writes them into the README; tests/test_readme.py fails when they differ.
"""

import asyncio
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bot.playground.slack import Message
from tests.whole.digests import DAY, make, move_to, next_digest, score
from tests.whole.town import Clock, Town, running_bot, running_stand_ins

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"(<!-- answer: (\w+) -->\n```text\n).*?(```\n)", re.DOTALL)
NINE = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
MONDAY = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)  # nine o'clock in Berlin
WORKING_DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri"]
SCAN = {
    "whois": {
        "registrar": "Registro Sur S.A.",
        "createdDate": "2018-02-07",
        "expiryDate": "2027-02-07",
        "nameServers": ["ns1.polarns.example", "ns2.polarns.example"],
        "dnssec": True,
    },
    "dns": {
        "records": [
            {"type": "A", "value": "192.0.2.237", "ttl": 3600},
            {"type": "MX", "value": "10 mail.shop.example", "ttl": 3600},
            {"type": "TXT", "value": "v=spf1 -all", "ttl": 300},
        ]
    },
    "ssl": {
        "issuer": {"organization": "Fjord Certificates AS"},
        "notAfter": "2026-11-29T05:44:00Z",
    },
    "security": {"issues": [{"severity": "high", "title": "Certificate ends within ten days"}]},
}


class Still(Clock):
    """A clock that stands at nine."""

    def __call__(self) -> datetime:
        return NINE + self.ahead


async def answers() -> dict[str, str]:
    """Return what each command of the README answers, by the name of its block."""
    with tempfile.TemporaryDirectory() as folder:
        async with running_stand_ins(Path(folder), "socket", Still()) as town, running_bot(town):
            return await _answers(town)


async def _answers(town: Town) -> dict[str, str]:
    no_key = await town.ask(town.bob, "/domains")
    town.acme.add("shop.example", health=41, tags=("prod",), folder="Web shops")
    town.acme.add("blog.example", health=72, tags=("prod",), folder="Sites")
    town.acme.add("www.example", health=97, tags=("prod", "eu"), folder="Sites")
    town.acme.add("new.example", health=None)
    town.acme.scan_results["shop.example"] = SCAN
    await town.connect()
    await town.answer(town.bob)
    shown = {
        "no_key": ("bob", "/domains", no_key),
        "domains": ("bob", "/domains", await town.ask(town.bob, "/domains")),
        "filter": ("bob", line := "/domains tag:prod below:80", await town.ask(town.bob, line)),
        "not_understood": (
            "bob",
            line := "/domains tag:prod below:low colour:red",
            await town.ask(town.bob, line),
        ),
        "scan": ("bob", line := "/scan shop.example", await town.ask(town.bob, line)),
        "near_miss": ("bob", line := "/scan shop.exmaple", await town.ask(town.bob, line)),
        "add": (
            "bob",
            line := '/adddomain https://Bücher.example/new folder:"Web shops" tag:prod',
            await town.ask(town.bob, line),
        ),
        "refused": ("bob", "/domainkey", await town.ask(town.bob, "/domainkey")),
    }
    said = {
        name: f"{who}: {line}\n\n{_as_text(each)}" for name, (who, line, each) in shown.items()
    }
    return said | {"digest": _as_text(await _digest(town))}


async def _digest(town: Town) -> Message:
    """The second of two working days' digests, so that there is something to compare with."""
    await make(town, {"Days": WORKING_DAYS, "Time": "09:00", "Time zone": "Europe/Berlin"})
    move_to(town, MONDAY)
    await next_digest(town)
    score(town, "www.example", 64)
    town.acme.add("news.example", health=88, folder="Sites")
    move_to(town, MONDAY + DAY)
    return await next_digest(town)


def _as_text(message: Message) -> str:
    lines = [
        text for text in message.everything.splitlines() if text and text not in message.buttons
    ]
    buttons = "  ".join(f"[{label}]" for label in dict.fromkeys(message.buttons))
    body = "\n".join(lines).replace("`", "").replace("*", "")
    return f"{body}\n" + (f"\n{buttons}\n" if buttons else "")


def with_answers(text: str, made: dict[str, str]) -> str:
    """Return the README's `text` with every block's answer as it is now."""
    return BLOCK.sub(lambda block: f"{block[1]}{made[block[2]]}{block[3]}", text)


if __name__ == "__main__":
    README.write_text(with_answers(README.read_text(), asyncio.run(answers())))
