"""The answers that the documents show, made by the real bot between the stand-ins.

`python -m tests.answers` writes them whole into `tests/answers.txt`, and their first lines into
the guides that quote them, and writes the slash commands into the manifest and the members' guide.

tests/test_documents.py fails when they differ: then renew the pictures too, by
`python -m tests.browser.pictures`.
"""

import asyncio
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bot.dispatch.commands import COMMANDS
from bot.playground.slack import Message
from tests.whole.digests import DAY, make, move_to, next_digest, score
from tests.whole.harness import Clock, Harness, running_bot, running_stand_ins

MANIFEST = Path(__file__).parents[1] / "manifest.yml"
SLASH_COMMANDS = re.compile(r"(?<=\n  slash_commands:\n).*?(?=\noauth_config:)", re.DOTALL)
TABLE = re.compile(r"(<!-- commands -->\n(?:\|.*\n){2})(?:\|.*\n)*")
GUIDES = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
WHOLE = Path(__file__).with_name("answers.txt")
QUOTE = re.compile(r"(<!-- answer: (\w+) -->\n> ).*\n")
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
    """Return the answers by their names: a command or a digest as text."""
    with tempfile.TemporaryDirectory() as folder:
        async with running_stand_ins(Path(folder), "socket", Still()) as app, running_bot(app):
            return await _answers(app)


async def _answers(app: Harness) -> dict[str, str]:
    no_key = await app.ask(app.bob, "/domains")
    app.account.add("shop.example", health=41, tags=("prod",), folder="Web shops")
    app.account.add("blog.example", health=72, tags=("prod",), folder="Sites")
    app.account.add("www.example", health=97, tags=("prod", "eu"), folder="Sites")
    app.account.add("new.example", health=None)
    app.account.scan_results["shop.example"] = SCAN
    await app.connect()
    await app.answer(app.bob)
    shown = {
        "no_key": ("bob", "/domains", no_key),
        "domains": ("bob", "/domains", await app.ask(app.bob, "/domains")),
        "filter": ("bob", line := "/domains tag:prod below:80", await app.ask(app.bob, line)),
        "not_understood": (
            "bob",
            line := "/domains tag:prod below:low colour:red",
            await app.ask(app.bob, line),
        ),
        "scan": ("bob", line := "/scan shop.example", await app.ask(app.bob, line)),
        "near_miss": ("bob", line := "/scan shop.exmaple", await app.ask(app.bob, line)),
        "add": (
            "bob",
            line := '/adddomain https://Bücher.example/new folder:"Web shops" tag:prod',
            await app.ask(app.bob, line),
        ),
        "refused": ("bob", "/domainkey", await app.ask(app.bob, "/domainkey")),
    }
    said = {
        name: f"{who}: {line}\n\n{_as_text(each)}" for name, (who, line, each) in shown.items()
    }
    return said | {"digest": _as_text(await _digest(app))}


async def _digest(app: Harness) -> Message:
    """The second of two working days' digests, so that there is something to compare with."""
    await make(app, {"Days": WORKING_DAYS, "Time": "09:00", "Time zone": "Europe/Berlin"})
    move_to(app, MONDAY)
    await next_digest(app)
    score(app, "www.example", 64)
    app.account.add("news.example", health=88, folder="Sites")
    move_to(app, MONDAY + DAY)
    return await next_digest(app)


def _as_text(message: Message) -> str:
    lines = [
        text for text in message.everything.splitlines() if text and text not in message.buttons
    ]
    buttons = "  ".join(f"[{label}]" for label in dict.fromkeys(message.buttons))
    body = "\n".join(lines).replace("`", "").replace("*", "")
    return f"{body}\n" + (f"\n{buttons}\n" if buttons else "")


def quoted(answer: str) -> str:
    """Return the line of an answer that a guide quotes: the first one below the command."""
    return answer.split("\n\n")[1].splitlines()[0]


def with_quotes(text: str, made: dict[str, str]) -> str:
    """Return a guide's `text` with every quote as the answer is now."""
    return QUOTE.sub(lambda found: f"{found[1]}{quoted(made[found[2]])}\n", text)


def with_commands(guide: str) -> str:
    """Return a guide's text with the table of commands as their records are."""
    rows = "".join(f"| `{each.name}` | {each.brief} |\n" for each in COMMANDS.values())
    return TABLE.sub(lambda found: found[1] + rows, guide)


def with_slash_commands(manifest: str) -> str:
    """Return the manifest with the slash commands as their records are."""
    entries = [
        f"    - command: {each.name}\n"
        "      url: https://bot.example.com/slack/events\n"
        f"      description: {each.brief[0].upper()}{each.brief[1:]}\n"
        f"      usage_hint: '{each.hint}'\n"
        "      should_escape: true"
        for each in COMMANDS.values()
    ]
    return SLASH_COMMANDS.sub(lambda _: "\n".join(entries), manifest)


def as_file(made: dict[str, str]) -> str:
    """Return all answers, each below its name."""
    return "\n".join(f"=== {name} ===\n{answer}" for name, answer in made.items())


def _write() -> None:
    made = asyncio.run(answers())
    WHOLE.write_text(as_file(made))
    for guide in GUIDES:
        guide.write_text(with_commands(with_quotes(guide.read_text(), made)))
    MANIFEST.write_text(with_slash_commands(MANIFEST.read_text()))


if __name__ == "__main__":
    _write()
