"""The documents tell what is: real answers, commands that exist, every setting."""

import re
from pathlib import Path

import pytest
import yaml

from bot.settings import Settings
from tests.answers import GUIDES, QUOTE, WHOLE, answers, as_file, with_quotes
from tests.loops import loop_over

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
OPERATORS = (ROOT / "docs/operators.md").read_text()
ADMINS = (ROOT / "docs/admins.md").read_text()
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
# A link or a picture in Markdown, or the address of a picture in HTML.
LINK = re.compile(r"\]\((?!https?:)([^)]+)\)|(?:src|srcset)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


async def test_the_answers_that_the_guides_quote_are_what_the_bot_answers() -> None:
    made = await answers()

    assert as_file(made) == WHOLE.read_text(), "run: python -m tests.answers, renew the pictures"
    quoting = [guide.read_text() for guide in GUIDES if QUOTE.search(guide.read_text())]
    assert len(quoting) > 1
    assert [with_quotes(text, made) for text in quoting] == quoting, "run: python -m tests.answers"


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_no_document_leaves_a_gap_for_the_address_of_the_project() -> None:
    assert not [path.name for path in DOCUMENTS if "<this repository>" in path.read_text()]


@loop_over("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_make_target_that_a_document_names_exists(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    named = re.findall(r"(?:^|`)make ([a-z-]+)\b", path.read_text(), re.MULTILINE)
    assert set(named) <= targets


# Addresses of Slack itself, which only a stand-in changes.
SLACKS_OWN = {"slack_api_url", "slack_authorize_url"}


@loop_over("name", sorted(Settings.model_fields))
def test_every_setting_is_in_the_operators_guide_and_in_the_example(name: str) -> None:
    rows = OPERATORS.partition("\n## Settings\n")[2].partition("\n### ")[0]

    assert re.search(rf"^\|[^|]*`{name.upper()}`[^|]*\|", rows, re.MULTILINE)
    assert name.upper() in (ROOT / ".env.example").read_text() or name in SLACKS_OWN


@loop_over("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_of_a_document_leads_somewhere(path: Path) -> None:
    for link in (markdown or html for markdown, html in LINK.findall(path.read_text())):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def anchors(path: Path) -> set[str]:
    """Return the names of a document's headings, as GitHub makes them."""
    texts = (re.sub(r"[^\w\- ]", "", text.lower()) for text in HEADING.findall(path.read_text()))
    return {text.replace(" ", "-") for text in texts}


def test_every_picture_is_shown_and_can_be_renewed() -> None:
    kept = {path.name for path in (ROOT / "docs/pictures").iterdir()}
    shown = {
        Path(markdown or html).name
        for path in DOCUMENTS
        for markdown, html in LINK.findall(path.read_text())
    }

    assert kept <= shown
    taken = (ROOT / "tests/browser/pictures.py").read_text()
    assert kept == set(re.findall(r'"([\w-]+\.png)"', taken))


def test_every_permission_of_the_manifest_has_its_reason_in_the_admins_guide() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text())

    for scope in manifest["oauth_config"]["scopes"]["bot"]:
        assert f"| `{scope}` | " in ADMINS


@pytest.mark.parametrize("heading", ["Install", "Deploy", "Scale", "Back up", "Upgrade"])
def test_the_operators_guide_has_each_of_their_tasks(heading: str) -> None:
    assert f"\n## {heading}\n" in OPERATORS


def test_what_is_to_be_looked_at_first_names_code_that_exists() -> None:
    guide = (ROOT / "docs/first-contact.md").read_text()
    named = re.findall(r"`(bot/[\w./]+)`", guide)

    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []
    for name, path in re.findall(r"`(\w+)` (?:of|in) `(bot/[\w./]+\.\w+)`", guide):
        assert name in (ROOT / path).read_text()


@pytest.mark.parametrize("name", ["marketplace", "first-contact"])
def test_a_list_for_the_owner_is_read_in_minutes(name: str) -> None:
    assert len((ROOT / f"docs/{name}.md").read_text().split()) <= 500
