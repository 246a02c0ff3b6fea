"""What Slack knows of the app: its manifest, the very file that is pasted into Slack."""

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
    """What Slack knows of the app: its name, its commands, what it may do and is told."""

    name: str
    commands: tuple[SlashCommand, ...]
    scopes: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


def read_manifest(path: Path) -> AppInfo:
    """Return what the manifest says. Raises: OSError, yaml.YAMLError, KeyError."""
    manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    commands = tuple(
        SlashCommand(entry["command"], entry["description"], entry.get("usage_hint", ""))
        for entry in manifest.get("features", {}).get("slash_commands", [])
    )
    return AppInfo(
        manifest["display_information"]["name"],
        commands,
        scopes=tuple(manifest.get("oauth_config", {}).get("scopes", {}).get("bot", [])),
        events=tuple(
            manifest.get("settings", {}).get("event_subscriptions", {}).get("bot_events", [])
        ),
    )
