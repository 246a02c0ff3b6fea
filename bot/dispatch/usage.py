"""Draw the usage of commands, and the messages about waiting and interruption. Pure."""

from collections.abc import Sequence

from bot.blocks.builders import (
    actions,
    again_button,
    context,
    message_of,
    paragraph_notice,
    plain_message,
    run_button,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import MAX_BUTTON_CHARS, clip, code, plural
from bot.dispatch.command_text import NotUnderstood, unescaped
from bot.dispatch.commands import COMMANDS

MAX_PARTS_SHOWN = 10
# While an answer takes longer than a few seconds.
STILL_WORKING = plain_message("⏳ Still working…")
# The same where the answer cannot take its place: it stays true.
ANSWER_BELOW = plain_message("This takes a while. The answer comes as a new message.")
# To a second press of what is done once, and to a form that another process has got before.
ALREADY_PRESSED = plain_message(
    "This is already done or under way. Type the command to do it again."
)
# To who shares something in a channel of several companies.
READ_OUTSIDE = plain_message(
    "👥 People from another company are in this channel and can read this."
)
# To `Cancel` below a question.
CANCELED = plain_message("Canceled. Nothing was done.")
# In place of "still working".
ANSWERED_IN_FORM = plain_message("The answer is in the form.")
# To a button without a command.
OLD_BUTTON = plain_message("That button is from an older version. Type the command instead.")
# To a command with a key or token, which is not repeated.
EXPOSED_KEY = plain_message(
    "Your text contains a key or a token, so nothing was done. Treat it as exposed: delete it"
    " where it was made, and make a new one. Admins set the workspace's key with `/domainkey`,"
    " in a private form."
)
_MORE = "Add `help` to any command. The Home tab shows an overview."
MAX_LINE_CHARS = 100


def usage_message(command: str) -> Message:
    usage = COMMANDS[command]
    lines = "\n".join(f"`{example}` – {does}" for example, does in usage.examples)
    note = [context(usage.note)] if usage.note else []
    others = ", ".join(f"`{other}`" for other in COMMANDS if other != command)
    return message_of(
        section(f"*{command}* {usage.does}."),
        section(lines),
        *note,
        context(f"Other commands: {others}. {_MORE}"),
    )


def overview_message(*, is_direct: bool) -> Message:
    """Return the answer to a message that is no command line, with buttons for the commands."""
    here = "" if is_direct else " Add `here` to answer in the thread for everyone."
    note = f"Add `help` to any command.{here}"
    return _commands_message("I only read commands, with or without the slash.", "", note)


def greeting_message() -> Message:
    """Return the first message in the app's conversation, with buttons for the commands."""
    return _commands_message("Hi! Press a button, or type a command in any channel.", "/", _MORE)


def _commands_message(start: str, slash: str, note: str) -> Message:
    lines = [f"• `{slash}{each.name[1:]}` – {each.brief}" for each in COMMANDS.values()]
    buttons = [
        run_button(each.button, each.name, number=number)
        for number, each in enumerate(COMMANDS.values())
        if each.button
    ]
    return message_of(
        section(f"{start} For example: `{slash}scan example.com`"),
        section("\n".join(lines)),
        context(note),
        *actions(*buttons),
    )


def form_button_message(command_line: str) -> Message:
    """Return the answer to a command line whose form Slack opens only after a press."""
    return plain_message(f"`{command_line}` opens a form.", run_button("Open form", command_line))


def late_message(command_line: str) -> Message:
    """Return the answer to a command line that reached the bot too long after it was written."""
    return plain_message(
        f"{code(command_line, MAX_LINE_CHARS)} reached the app more than ten minutes after you"
        " wrote it. It was not run.",
        run_button("Run it now", command_line),
    )


def not_understood_message(
    command: str,
    problems: Sequence[NotUnderstood],
    understood: Sequence[str],
    corrected: str | None = None,
) -> Message:
    """Return a sentence for each part that was not understood, and a button for what may be meant.

    Where nothing seems to be meant it names the parts that were understood, and the usage.
    """
    usage = COMMANDS[command]
    sentences = [*dict.fromkeys(map(problem_sentence, problems[:MAX_PARTS_SHOWN]))]
    if (left_out := len(problems) - MAX_PARTS_SHOWN) > 0:
        sentences.append(f"And {plural(left_out, 'more part')}.")
    line = "" if corrected is None else f"{command} {corrected}".strip()
    if line and any(each.fix and not each.why for each in problems):  # a word like the typed one
        sentences.append(f"Did you mean {code(unescaped(line), 300)}?")
    if usage.changes:
        sentences.append("Nothing was changed.")
    known = f" Understood: {_listed(understood)}." if understood and not line else ""
    hint = [] if line else [context(f"{code(f'{command} {usage.hint}', 300)}{known}")]
    # The line of a button has to fit its label: people read there what they run.
    label = unescaped(line)
    run = run_button(label, line, here=True) if 0 < len(label) <= MAX_BUTTON_CHARS else None
    examples = run_button("Help", f"{command} help", number=1)
    return message_of(section(" ".join(sentences)), *hint, *actions(run, examples))


def problem_sentence(problem: NotUnderstood) -> str:
    """Return a sentence on a part of a command, as mrkdwn."""
    named = code(problem.key or problem.part, 80)
    if not problem.why:
        return f"I don't know {named}."
    why = clip(problem.why, 100)
    return f"I don't know {named}. {why}." if why[0].isupper() else f"{named} {why}."


def _listed(parts: Sequence[str]) -> str:
    named = " ".join(code(part, 50) for part in parts[:MAX_PARTS_SHOWN])
    left_out = len(parts) - MAX_PARTS_SHOWN
    return f"{named} and {left_out:,} more" if left_out > 0 else named


def interrupted_message(command_line: str | None) -> Message:
    """Return the answer to a request whose process stops; `command_line` repeats it."""
    name, _, text = (command_line or "").partition(" ")
    command = COMMANDS.get(name)
    step = "It may still have been done. Check before you repeat it."
    if command and not (command.changes and text):
        step = "Please try again."
    elif name == "/adddomain":
        step = "It may still have been done. Trying again is safe: I check first."
    shown = f"{code(command_line, MAX_LINE_CHARS)}: " if command_line else ""
    return plain_message(
        f"{shown}⚠️ The app is restarting, so this got no answer. {step}",
        again_button(command_line),
    )


def as_form(message: Message) -> Block:
    """Return what a message says as a form, without its buttons."""
    return paragraph_notice("Domain Tracker", message.text)
