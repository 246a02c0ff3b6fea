"""A command that is missing anywhere is named here."""

import re
from pathlib import Path

import yaml

from bot.dispatch.commands import COMMANDS
from tests.answers import MANIFEST, with_commands, with_slash_commands

ROOT = Path(__file__).parents[2]


def test_every_command_has_its_handler() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "bot").rglob("*.py"))

    assert sorted(re.findall(r'command\("(/\w+)"', sources)) == sorted(COMMANDS)


def test_every_command_is_in_the_manifest_and_in_the_members_guide() -> None:
    manifest, guide = MANIFEST.read_text(), (ROOT / "docs/members.md").read_text()
    commands = yaml.safe_load(manifest)["features"]["slash_commands"]

    assert [each["command"] for each in commands] == [*COMMANDS], "run: python -m tests.answers"
    assert with_slash_commands(manifest) == manifest, "run: python -m tests.answers"
    assert with_commands(guide) == guide, "run: python -m tests.answers"
    assert all(f"| `{name}` |" in guide for name in COMMANDS)
