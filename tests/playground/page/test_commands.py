"""Which slash commands are offered for what is typed."""

import pytest

from bot.playground.manifest import SlashCommand
from bot.playground.page.composer import fitting

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
