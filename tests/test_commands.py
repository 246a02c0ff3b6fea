"""A command that is missing anywhere is named here."""

import re
from pathlib import Path

import yaml

from bot.commands import COMMANDS
from bot.playground.manifest import read_manifest
from tests.answers import (
    MANIFEST,
    WORKFLOW_MANIFEST,
    with_commands,
    with_slash_commands,
    with_steps,
)

ROOT = Path(__file__).parents[1]


def test_every_command_has_its_handler() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "bot/listeners").glob("*.py"))

    assert sorted(re.findall(r'on_command\("(/\w+)"', sources)) == sorted(COMMANDS)


def test_every_command_is_in_the_manifest_and_in_the_members_guide() -> None:
    manifest, guide = MANIFEST.read_text(), (ROOT / "docs/members.md").read_text()
    commands = yaml.safe_load(manifest)["features"]["slash_commands"]

    assert [each["command"] for each in commands] == [*COMMANDS], "run: python -m tests.answers"
    assert with_slash_commands(manifest) == manifest, "run: python -m tests.answers"
    assert with_commands(guide) == guide, "run: python -m tests.answers"
    assert all(f"| `{name}` |" in guide for name in COMMANDS)


def test_m21_the_manifest_with_steps_is_the_other_one_and_its_steps() -> None:
    workflow, sources = (
        WORKFLOW_MANIFEST.read_text(),
        (ROOT / "bot/listeners/scan.py").read_text(),
    )

    assert with_steps(MANIFEST.read_text(), workflow) == workflow, "run: python -m tests.answers"
    assert re.findall(r'on_step\("(\w+)"', sources) == [*yaml.safe_load(workflow)["functions"]]
    assert read_manifest(WORKFLOW_MANIFEST).redirect_urls == ()
