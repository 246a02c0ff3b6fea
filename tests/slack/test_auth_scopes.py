"""The permissions in the manifest: each is used, none is missing, each has its reason."""

import re
from pathlib import Path

import yaml

from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES

ROOT = Path(__file__).parents[2]
MANIFEST = (ROOT / "manifest.yml").read_text()
SCOPES = yaml.safe_load(MANIFEST)["oauth_config"]["scopes"]
# What each method needs: https://docs.slack.dev/reference/methods, one page for each. Those that
# take channels of several kinds need the scope of the kind: the bot asks for both of these.
CHANNELS = {"channels:read", "groups:read"}
NEEDED_BY: dict[str, set[str]] = {
    "api_test": set(),
    "apps_connections_open": set(),  # with the app's own token
    "auth_test": set(),
    "chat_postEphemeral": {"chat:write"},
    "chat_postMessage": {"chat:write"},
    "chat_update": {"chat:write"},
    "conversations_info": CHANNELS,
    "conversations_members": CHANNELS,
    "conversations_open": {"im:write"},
    "files_upload_v2": {"files:write"},
    "usergroups_list": {"usergroups:read"},
    "users_info": {"users:read"},
    "users_list": {"users:read"},
    "views_open": set(),
    "views_publish": set(),
    "views_push": set(),
    "views_update": set(),
}
CALL = re.compile(r"client\.((?!is_|send_)[a-z]+(?:_[a-zA-Z0-9]+)+)\(")


def methods_called() -> set[str]:
    sources = [
        path.read_text()
        for path in (ROOT / "bot").rglob("*.py")
        if "playground" not in path.relative_to(ROOT).parts
    ]
    return {name for source in sources for name in CALL.findall(source)} - {"api_call", "cut_off"}


def test_the_manifest_asks_for_what_the_bot_needs_and_for_nothing_else() -> None:
    assert {*NEEDED_SCOPES, *OPTIONAL_SCOPES} == set(SCOPES["bot"])
    assert set(OPTIONAL_SCOPES) == set(SCOPES["bot_optional"])


def test_what_is_off_stands_in_the_manifest_as_comments() -> None:
    assert tuple(re.findall(r"^ +# - (\w+:\w+) # ", MANIFEST, re.MULTILINE)) == (*MENTION_SCOPES,)


def test_every_method_that_is_called_has_its_permission_and_each_permission_a_method() -> None:
    assert methods_called() == set(NEEDED_BY)
    # Slash commands are sent to the bot, not asked for: https://docs.slack.dev/reference/scopes/commands
    assert set().union(*NEEDED_BY.values()) | {"commands"} == set(SCOPES["bot"])
