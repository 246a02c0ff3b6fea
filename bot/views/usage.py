"""Draw the usage of commands, and what people read while they wait. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.command_text import NotUnderstood
from bot.message import Block, Message
from bot.views.blocks import actions, context, notice, paragraphs, run_button, section
from bot.views.text import clip, code, escaped, plural

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


_TITLE = "Domain Tracker"
MAX_LINE_CHARS = 100
# What is done by buttons and forms -> the command that shows how things stand now, and its button.
_SHOWN_BY = {
    "digest": ("/domaindigest", "Digests"),
    "key": ("/domainkey", "Key"),
    "managers": ("/domainkey", "Key"),
}
_INTERRUPTED = "I was interrupted, so nothing more will come of this."
_PERHAPS_DONE = "It may have been done all the same."


def working_message() -> Message:
    """Return what is said when an answer takes longer than a few seconds."""
    text = "⏳ Still at it. I will answer here."
    return Message(text, (section(text),))


def old_button_message() -> Message:
    """Return the answer to a button whose command is gone."""
    text = "That button is from an older version of me. Please type the command instead."
    return Message(text, (section(text),))


def done_message() -> Message:
    """Return what takes the place of "still at it" when the answer is somewhere else."""
    text = "You find the answer in the form."
    return Message(text, (section(text),))


def stopping_message(command_line: str | None) -> Message:
    """Return the answer to whoever is still waiting when the bot has to stop."""
    text = "I am being restarted and could not finish this. Please try again in a minute."
    again = run_button("Try again", command_line) if command_line else None
    return _about(command_line, text, *actions(again))


def interrupted_message(what: str, command_line: str | None) -> Message:
    """Return what whoever waited for a process that was killed is told by another one.

    `what` names the command, button or form; `command_line` is what would ask the same again,
    `None` when there is nothing to run.
    """
    text = _interrupted_text(what, command_line)
    again = run_button("Try again", command_line) if command_line else None
    look = _look_button(what, command_line)
    return _about(command_line, text, *actions(again, look))


def interrupted_form(what: str, command_line: str | None) -> Block:
    """Return the same for the form that they have open; answers to buttons would lie behind it."""
    return notice(_TITLE, [section(_interrupted_text(what, command_line))])


def _about(command_line: str | None, text: str, *blocks: Block) -> Message:
    """Return the message that begins with what was typed: several may be told of at once."""
    plain = text.replace("`", "")
    if not command_line:
        return Message(plain, (section(text), *blocks))
    told = f"{code(command_line, MAX_LINE_CHARS)}: {text}"
    return Message(f"{escaped(command_line, MAX_LINE_CHARS)}: {plain}", (section(told), *blocks))


def _interrupted_text(what: str, command_line: str | None) -> str:
    if _adds(command_line):
        step = f"{_PERHAPS_DONE} Trying again is safe: I look first."
    elif command_line or what.startswith("/"):
        step = "Please try again."
    elif shown_by := _shown_by(what):
        step = f"{_PERHAPS_DONE} Please look with `{shown_by[0]}` before you do it again."
    else:
        step = f"{_PERHAPS_DONE} Please look before you do it again."
    return f"⚠️ {_INTERRUPTED} {step}"


def _look_button(what: str, command_line: str | None) -> Block | None:
    if _adds(command_line):
        return run_button("All domains", "/domains", number=1)
    shown_by = None if command_line else _shown_by(what)
    return run_button(shown_by[1], shown_by[0]) if shown_by else None


def _adds(command_line: str | None) -> bool:
    """Whether it adds a domain; without one it only opens a form."""
    command, _, text = (command_line or "").partition(" ")
    return command == "/adddomain" and bool(text.strip())


def _shown_by(what: str) -> tuple[str, str] | None:
    found = (shown for start, shown in _SHOWN_BY.items() if what.startswith(start))
    return next(found, None)


def exposed_key_message() -> Message:
    """Return the answer to a command with a key or token in it; nothing of it is repeated."""
    text = (
        "There is a key or a token in what you typed, so I did nothing with it. Treat it as"
        " exposed: delete it where it was made, and make a new one. Admins set the workspace's"
        " key with `/domainkey`, in a private form."
    )
    return Message(text.replace("`", ""), (section(text),))


def shared_already_message() -> Message:
    """Return the answer to a second press of `Share`."""
    text = "This is shared with the channel already."
    return Message(text, (section(text),))
