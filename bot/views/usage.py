"""How each command is used: the answer to `help`, and to whatever was not understood. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.message import Message
from bot.views.blocks import context, paragraphs, section
from bot.views.text import clip, code, escaped, plural
from bot.words import NotUnderstood

MAX_PARTS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Usage:
    """A command, what it does in one sentence, and examples with what each of them does.

    `brief` is what it is about, in a few words.
    """

    command: str
    does: str
    examples: tuple[tuple[str, str], ...]
    note: str = ""
    brief: str = ""


USAGES = {
    usage.command: usage
    for usage in (
        Usage(
            "/domains",
            "lists your domains with their health scores, worst first",
            (
                ("/domains", "all of them"),
                ("/domains shop", "those with “shop” in their name"),
                ("/domains tag:prod below:70", "tagged prod, with a score below 70"),
                ('/domains folder:"Web shops" type:owned', "in one folder, of one type"),
                ("/domains above:90 sort:name", "the best ones, by name"),
            ),
            "Parts: words, tag:x, folder:x, type:x, below:0–100, above:0–100, sort:score or"
            ' sort:name, page:2. Put "two words" in quotes.',
            brief="your domains with their health, worst first",
        ),
        Usage(
            "/scan",
            "runs a full scan of one domain: WHOIS, DNS, SSL and security",
            (
                ("/scan example.com", "scans it now; this can take up to two minutes"),
                ("/scan", "opens a form to pick a domain"),
            ),
            "A web address works too. Only domains of your portfolio can be scanned.",
            brief="a full scan of one domain",
        ),
        Usage(
            "/adddomain",
            "adds a domain to your portfolio",
            (
                ("/adddomain example.com", "adds it as a domain of your own"),
                ('/adddomain example.com folder:"Web shops" tag:prod tag:eu', "with labels"),
                ("/adddomain", "opens a form"),
            ),
            "Parts: type:x, folder:x, tag:x (again for each tag).",
            brief="a new domain in your portfolio",
        ),
        Usage(
            "/domaindigest",
            "opens the health digests of a channel: posts about your domains that come by"
            " themselves, on the days and at the time that you choose",
            (("/domaindigest", "shows this channel's digests, and makes and changes them"),),
            "Everything is chosen in the form that it opens: filter, days, time, when to stay"
            " silent, whom to mention.",
            brief="health posts that come to a channel by themselves",
        ),
        Usage(
            "/domainkey",
            "is for workspace admins and the managers that they name: it shows the state of the"
            " Domain Tracker API key, and sets, checks, rotates, rolls back or removes it",
            (("/domainkey", "shows the key's state and what you can do"),),
            "Never type a key behind the command: the form that it opens is private.",
            brief="the API key, for admins and managers",
        ),
    )
}


def usage_message(command: str) -> Message:
    """Return how `command` is used, and which other commands there are."""
    usage = USAGES[command]
    return Message(
        text=f"{command} {usage.does}. For example: {usage.examples[0][0]}",
        blocks=(section(f"*{command}* {usage.does}."), *_examples(usage), _others(command)),
    )


def not_understood_message(
    command: str, problems: Sequence[NotUnderstood], understood: Sequence[str]
) -> Message:
    """Return what of a command was not understood and why, what was, and the usage."""
    usage = USAGES[command]
    shown = [(problem.part, clip(problem.why, 100)) for problem in problems[:MAX_PARTS_SHOWN]]
    lines = ["*I did not understand all of that, so I did nothing.*"]
    lines += [f"• {code(part, 80)} – {why}" for part, why in shown]
    if left_out := len(problems) - len(shown):
        lines.append(f"• and {plural(left_out, 'more part')}")
    parts = paragraphs(lines)
    if understood:
        parts.append(section(f"Understood: {_listed(understood)}"))
    told = "; ".join(f"{escaped(part, 80)}: {why}" for part, why in shown)
    return Message(
        text=f"{command}: not understood: {told}. {usage.note}",
        blocks=(*parts, *_examples(usage), _others(command)),
    )


def _listed(parts: Sequence[str]) -> str:
    named = " ".join(code(part, 50) for part in parts[:MAX_PARTS_SHOWN])
    left_out = len(parts) - MAX_PARTS_SHOWN
    return f"{named} and {left_out:,} more" if left_out > 0 else named


def _examples(usage: Usage) -> tuple[dict[str, object], ...]:
    lines = "\n".join(f"`{example}` – {does}" for example, does in usage.examples)
    return (section(lines), *((context(usage.note),) if usage.note else ()))


def _others(command: str) -> dict[str, object]:
    others = ", ".join(f"`{other}`" for other in USAGES if other != command)
    return context(
        f"Also: {others}. Each of them answers `help`. My Home tab shows everything at a glance."
    )
