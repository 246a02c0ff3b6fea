"""Which slash commands are offered for what is typed."""

from pathlib import Path

import pytest

from bot.playground.manifest import SlashCommand, read_manifest
from bot.playground.page.composer import fitting

MANIFEST = Path(__file__).parents[3] / "manifest.yml"
COMMANDS = [
    SlashCommand(name, "It does something")
    for name in ("/adddomain", "/domains", "/domainkey", "/scan")
]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        pytest.param("/", "/adddomain /domains /domainkey /scan", id="slash"),
        pytest.param("/d", "/domains /domainkey /adddomain", id="beginnings first"),
        pytest.param("/DOMAINK", "/domainkey", id="any case"),
        pytest.param("/scan", "/scan", id="whole"),
        pytest.param("/scan ", "", id="after the command"),
        pytest.param("/x", "", id="unknown"),
        pytest.param("scan", "", id="no slash"),
        pytest.param(" /scan", "", id="space before"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_fits_is_offered(typed: str, offered: str) -> None:
    assert [entry.command for entry in fitting(COMMANDS, typed)] == offered.split()


def test_the_manifest_names_the_app_and_describes_each_command() -> None:
    app = read_manifest(MANIFEST)

    assert app.name == "Domain Tracker"
    commands = {entry.command: entry for entry in app.commands}
    assert "full scan" in commands["/scan"].description
    assert commands["/scan"].usage_hint.startswith("[example.com")


def test_a_manifest_without_commands_offers_none(tmp_path: Path) -> None:
    path = tmp_path / "manifest.yml"
    path.write_text("display_information: {name: Small}", encoding="utf-8")

    assert read_manifest(path).commands == ()
