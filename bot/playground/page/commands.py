"""The slash commands of the app, and which of them fit what is typed. Pure but for the reading."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class SlashCommand:
    """One command as the manifest describes it."""

    command: str
    description: str
    usage_hint: str = ""


@dataclass(frozen=True)
class AppInfo:
    """What people see of the app: its name and its commands."""

    name: str
    commands: tuple[SlashCommand, ...]


def read_manifest(path: Path) -> AppInfo:
    """Return what the manifest says. Raises: OSError, yaml.YAMLError, KeyError."""
    manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    commands = tuple(
        SlashCommand(entry["command"], entry["description"], entry.get("usage_hint", ""))
        for entry in manifest.get("features", {}).get("slash_commands", [])
    )
    return AppInfo(manifest["display_information"]["name"], commands)


def fitting(commands: Sequence[SlashCommand], typed: str) -> list[SlashCommand]:
    """Return the commands to offer for a half-typed line, those that begin with it first.

    Nothing is offered before a slash, nor once the command is followed by a space.
    """
    if not typed.startswith("/") or any(char.isspace() for char in typed):
        return []
    words = typed[1:].lower()
    found = [command for command in commands if words in command.command]
    return sorted(found, key=lambda entry: not entry.command.startswith(typed.lower()))
