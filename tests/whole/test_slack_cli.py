"""`slack run`: the hooks of `.slack/hooks.json`, which a shell runs.

https://docs.slack.dev/tools/slack-cli/reference/hooks
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from typing import Any

import pytest
import yaml

from tests.processes import ROOT

pytestmark = pytest.mark.real_time
PROJECT: dict[str, Any] = json.loads((ROOT / ".slack/hooks.json").read_text())
PYTHON = ".venv/bin/python"


async def test_the_hook_prints_the_manifest_for_socket_mode() -> None:
    command = PROJECT["hooks"]["get-manifest"]
    assert PYTHON in command  # the tests' own takes its place
    command = f"exec {command.replace(PYTHON, sys.executable)}"
    hook = await asyncio.create_subprocess_shell(command, cwd=ROOT, stdout=PIPE)
    printed, _ = await hook.communicate()

    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text())
    manifest["settings"]["socket_mode_enabled"] = True
    for command in manifest["features"]["slash_commands"]:
        del command["url"]
    del manifest["oauth_config"]["redirect_urls"]
    del manifest["settings"]["event_subscriptions"]["request_url"]
    manifest["settings"]["interactivity"] = {"is_enabled": True}
    assert json.loads(printed) == manifest
    assert hook.returncode == 0


def test_the_files_that_are_watched_are_there() -> None:
    watched = PROJECT["config"]["watch"]

    assert all((ROOT / path).exists() for each in watched.values() for path in each["paths"])
    assert PROJECT["config"]["sdk-managed-connection-enabled"] is True  # the bot connects
