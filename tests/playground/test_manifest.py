"""What the playground reads of a manifest."""

from pathlib import Path

import pytest

from bot.playground.manifest import AppInfo, Shortcut, SlashCommand, read_manifest

LARGE = """
display_information: {name: Large}
features:
  app_home:
    home_tab_enabled: true
    messages_tab_enabled: true
    messages_tab_read_only_enabled: true
  slash_commands: [{command: /scan, description: Scan, should_escape: true}]
  shortcuts: [{name: Scan a domain, type: global, callback_id: scan, description: Scan}]
oauth_config:
  redirect_urls: [https://bot.example/slack/oauth_redirect]
  scopes: {bot: [commands, usergroups:read]}
settings:
  event_subscriptions: {bot_events: [app_uninstalled]}
  org_deploy_enabled: true
  interactivity: {is_enabled: true, message_menu_options_url: https://bot.example/slack/events}
"""


def read(text: str, folder: Path) -> AppInfo:
    path = folder / "manifest.yml"
    path.write_text(text, encoding="utf-8")
    return read_manifest(path)


@pytest.mark.parametrize(
    ("changed", "to", "message"),
    [
        ("name: Large", f"name: {'x' * 36}", "less than 36 characters /display_information/name"),
        ("name: Large", "nom: Large", "missing required field: name"),
        ("global", "channel", "valid enum value /features/shortcuts/0/type"),
        ("Scan a domain", "Scan one of your domains!", "less than 25 .*/shortcuts/0/name"),
        ("/scan,", "/,", "more than 1 characters /features/slash_commands/0/command"),
        ("command: /scan", "escape: true, command: /scan", "property: escape"),
        ("{bot: [commands,", "{bot_optional: [files:write], bot: [commands,", "one of `bot` too"),
        ("home_tab_enabled: true", "home_tab_enabled: on top", "provide a boolean"),
    ],
)
def test_a_wrong_manifest_is_refused(tmp_path: Path, changed: str, to: str, message: str) -> None:
    assert changed in LARGE

    with pytest.raises(ValueError, match=message):
        read(LARGE.replace(changed, to, 1), tmp_path)


def test_all_that_slack_goes_by_is_read(tmp_path: Path) -> None:
    assert read(LARGE, tmp_path) == AppInfo(
        "Large",
        (SlashCommand("/scan", "Scan", should_escape=True),),
        scopes=("commands", "usergroups:read"),
        events=("app_uninstalled",),
        redirect_urls=("https://bot.example/slack/oauth_redirect",),
        shortcuts=(Shortcut("Scan a domain", "scan", "global"),),
        home_tab=True,
        messages_tab=True,
        messages_tab_read_only=True,
        deploys_to_orgs=True,
        is_interactive=True,
        suggests_options=True,
    )
