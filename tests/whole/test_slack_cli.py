"""`slack run`: the hooks of `.slack/hooks.json`, run as Slack's command line runs them.

A shell gets each, with the tokens of the development app in the environment:
https://docs.slack.dev/tools/slack-cli/reference/hooks
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.processes import ROOT
from tests.whole.harness import Harness, until_ready
from tests.whole.test_process import environment, stand_ins_in_real_time

pytestmark = pytest.mark.real_time
PROJECT: dict[str, Any] = json.loads((ROOT / ".slack/hooks.json").read_text())
PYTHON = ".venv/bin/python"


async def run_hook(
    name: str, cwd: Path, env: dict[str, str] | None = None, **more: Any
) -> asyncio.subprocess.Process:
    """Start a hook; the tests' own Python takes the place of the project's."""
    command = PROJECT["hooks"][name]
    assert PYTHON in command
    command = f"exec {command.replace(PYTHON, sys.executable)}"
    return await asyncio.create_subprocess_shell(command, cwd=cwd, env=env, **more)


async def test_the_hook_prints_the_manifest_for_socket_mode() -> None:
    hook = await run_hook("get-manifest", ROOT, stdout=PIPE)
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


def by_cli(app: Harness) -> dict[str, str]:
    """Return the environment with the tokens by the names that the command line gives them."""
    env = environment(app) | {"LOG_LEVEL": "INFO"}
    xapp, xoxb = env.pop("SLACK_APP_TOKEN"), env.pop("SLACK_BOT_TOKEN")
    return env | {"SLACK_CLI_XAPP": xapp, "SLACK_CLI_XOXB": xoxb, "SLACK_BOT_TOKEN": "xoxb-other"}


async def test_the_hook_starts_the_bot_with_development_tokens(tmp_path: Path) -> None:
    async with stand_ins_in_real_time(tmp_path) as app:
        with (tmp_path / "bot.log").open("wb") as log:
            bot = await run_hook("start", tmp_path, by_cli(app), stderr=log)
        try:
            await until_ready(app)
            answer = await app.ask(app.bob, "/domains")
        finally:
            bot.terminate()
            status = await bot.wait()

    assert "is not connected to Domain Tracker yet" in answer.everything
    assert status == 0
