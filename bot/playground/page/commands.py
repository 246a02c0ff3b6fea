"""Which of the app's slash commands fit what is typed. Pure."""

from collections.abc import Sequence

from bot.playground.manifest import SlashCommand


def fitting(commands: Sequence[SlashCommand], typed: str) -> list[SlashCommand]:
    """Return the commands to offer for a half-typed line, those that begin with it first.

    Nothing is offered before a slash, nor once the command is followed by a space.
    """
    if not typed.startswith("/") or any(char.isspace() for char in typed):
        return []
    words = typed[1:].lower()
    found = [command for command in commands if words in command.command]
    return sorted(found, key=lambda entry: not entry.command.startswith(typed.lower()))
