"""A command that is missing anywhere is named here."""

import re
from pathlib import Path

import yaml

from bot.commands import COMMANDS, Audience, commands_for

ROOT = Path(__file__).parents[1]


def test_every_command_has_its_handler() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "bot/listeners").glob("*.py"))

    assert sorted(re.findall(r'on_command\("(/\w+)"', sources)) == sorted(COMMANDS)


def test_every_command_is_in_the_manifest_and_in_the_readme() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text())

    assert [each["command"] for each in manifest["features"]["slash_commands"]] == [*COMMANDS]
    assert all(f"`{name}" in (ROOT / "README.md").read_text() for name in COMMANDS)


def test_who_may_do_more_sees_more_commands() -> None:
    seen = [len(commands_for(audience)) for audience in Audience]

    assert seen == sorted(seen)
    assert seen[-1] == len(COMMANDS)
