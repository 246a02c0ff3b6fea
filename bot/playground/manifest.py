"""What Slack knows of the app: its manifest, the very file that is pasted into Slack."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from bot.playground.blockkit.schema import Place
from bot.playground.blockkit.tables import shape

MANIFEST = Path(__file__).parents[2] / "manifest.yml"
# What docs/operators.md lets an operator turn on by removing the comment sign.
_FOR_MESSAGES = re.compile(r"# (- (?:app_mentions:read|im:history|app_mention\b|message\.im))")


@dataclass(frozen=True)
class SlashCommand:
    """One command as the manifest describes it."""

    command: str
    description: str
    usage_hint: str = ""
    should_escape: bool = False


@dataclass(frozen=True)
class Shortcut:
    """One shortcut as the manifest describes it: `type` is "global" or "message"."""

    name: str
    callback_id: str
    type: str


@dataclass(frozen=True)
class AppInfo:
    """What Slack knows of the app. A tab that the manifest does not mention is off."""

    name: str
    commands: tuple[SlashCommand, ...]
    description: str = ""
    long_description: str = ""
    scopes: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    redirect_urls: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    home_tab: bool = False
    messages_tab: bool = False
    messages_tab_read_only: bool = False
    deploys_to_orgs: bool = False
    is_interactive: bool = False
    suggests_options: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """What of it `running_slack` takes."""
        tabs = ("home_tab", "messages_tab", "messages_tab_read_only")
        presses = ("is_interactive", "suggests_options")
        names = ("scopes", "events", "shortcuts", *presses, *tabs)
        commands = tuple(each.command for each in self.commands)
        raw = tuple(each.command for each in self.commands if not each.should_escape)
        taken = {name: getattr(self, name) for name in names}
        return {"commands": commands, "raw_commands": raw, **taken}


def read_manifest(path: Path = MANIFEST, *, reads_messages: bool = False) -> AppInfo:
    """Return what the manifest says, with `reads_messages` as changed for mentions and messages.

    Raises: ValueError: Slack would not take it.
    """
    text = path.read_text(encoding="utf-8")
    if reads_messages:
        text = _FOR_MESSAGES.sub(r"\1", text)
        text = text.replace("read_only_enabled: true", "read_only_enabled: false")
    manifest = _parsed(text)
    features, settings = manifest.get("features", {}), manifest.get("settings", {})
    pressed = settings.get("interactivity", {})
    oauth, tabs = manifest.get("oauth_config", {}), features.get("app_home", {})
    about = manifest["display_information"]
    return AppInfo(
        about["name"],
        _commands(features),
        description=about.get("description", ""),
        long_description=about.get("long_description", ""),
        scopes=tuple(oauth.get("scopes", {}).get("bot", [])),
        events=tuple(settings.get("event_subscriptions", {}).get("bot_events", [])),
        redirect_urls=tuple(oauth.get("redirect_urls", [])),
        shortcuts=tuple(
            Shortcut(each["name"], each["callback_id"], each["type"])
            for each in features.get("shortcuts", [])
        ),
        home_tab=bool(tabs.get("home_tab_enabled")),
        messages_tab=bool(tabs.get("messages_tab_enabled")),
        messages_tab_read_only=bool(tabs.get("messages_tab_read_only_enabled")),
        deploys_to_orgs=bool(settings.get("org_deploy_enabled")),
        is_interactive=bool(pressed.get("is_enabled")),
        suggests_options=bool(pressed.get("message_menu_options_url")),
    )


@lru_cache(maxsize=1)
def _parsed(text: str) -> dict[str, Any]:
    """Return the document of a YAML text; each local Slack reads the same one (7 ms).

    Raises: ValueError: Slack would not take it.
    """
    manifest: dict[str, Any] = yaml.safe_load(text)
    place = Place("", "message")
    shape("manifest").check(manifest, place)
    if place.problems:
        raise ValueError("; ".join(f"{each.message} {each.pointer}" for each in place.problems))
    return manifest


def _commands(features: dict[str, Any]) -> tuple[SlashCommand, ...]:
    return tuple(
        SlashCommand(**{name: part for name, part in entry.items() if name != "url"})
        for entry in features.get("slash_commands", [])
    )
