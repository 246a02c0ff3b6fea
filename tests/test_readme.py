"""The documents tell what is: real answers, commands that exist, every setting."""

import re
from pathlib import Path

import pytest
import yaml

from bot.settings import Settings
from tests.loops import loop_over
from tests.readme import BLOCK, README, answers, with_answers

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[1]
TEXT = README.read_text()


async def test_every_answer_in_the_readme_is_what_the_bot_answers() -> None:
    assert len(BLOCK.findall(TEXT)) > 5

    assert with_answers(TEXT, await answers()) == TEXT, "run: python -m tests.readme"


@loop_over("name", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_that_a_document_names_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    named = re.findall(r"(?:^|`)make ([a-z]+)\b", (ROOT / name).read_text(), re.MULTILINE)
    assert set(named) <= targets


# Addresses of Slack itself, which only a stand-in changes.
SLACKS_OWN = {"slack_api_url", "slack_authorize_url"}


@loop_over("name", sorted(Settings.model_fields))
def test_every_setting_is_in_the_readme_and_in_the_example(name: str) -> None:
    assert f"`{name.upper()}`" in TEXT
    assert name.upper() in (ROOT / ".env.example").read_text() or name in SLACKS_OWN


@loop_over("link", re.findall(r"\]\((?!http)([^)#]+)\)", TEXT))
def test_every_link_of_the_readme_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_every_permission_of_the_manifest_has_its_reason_in_the_readme() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text())

    for scope in manifest["oauth_config"]["scopes"]["bot"]:
        assert f"| `{scope}` | " in TEXT
