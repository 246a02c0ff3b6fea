"""The Domain Tracker's pages, as a visitor uses them."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from bot.playground.page import tracker_pages
from bot.playground.sandbox import Sandbox, running_sandbox
from tests.playground.page.visiting import visiting


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with running_sandbox(portfolios=["northwind"]) as sandbox:
        yield sandbox


@pytest.fixture
async def visitor(sandbox: Sandbox) -> AsyncIterator[User]:
    async with visiting(sandbox, tracker_pages.add) as visitor:
        yield visitor


def table(visitor: User) -> ui.table:
    return next(iter(visitor.find(ui.table).elements))


def shown(visitor: User, name: str) -> list[Any]:
    return [row[name] for row in table(visitor).rows]


def press(visitor: User, label: str) -> None:
    """Press the button that was drawn last under this label: the one of the dialog."""
    buttons = [each for each in visitor.find(label).elements if isinstance(each, ui.button)]
    found = visitor.find(label)
    found.elements = {max(buttons, key=lambda button: button.id)}
    found.click()


async def test_a_score_is_changed_in_its_place(visitor: User, sandbox: Sandbox) -> None:
    records = sandbox.tracker.account("northwind").domains.values()
    record = next(record for record in records if record.domain == "example.com")
    await visitor.open("/tracker")

    for typed in ("12.5", "120", ""):
        visitor.find(ui.table).trigger("score", {"id": record.domain_id, "value": typed})

    assert record.health == 12.5
    assert 12.5 in shown(visitor, "score")
    assert "A score is a number from 0 to 100." in visitor.notify.messages


async def test_a_key_is_shown_once_and_deleted(visitor: User, sandbox: Sandbox) -> None:
    await visitor.open("/tracker/keys")
    visitor.find("Create key").click()
    await visitor.should_see("Create an API key")
    fields = visitor.find(ui.input).elements
    next(each for each in fields if each.props["label"] == "Name").value = "My bot"
    press(visitor, "Create")
    await visitor.should_see("The value of “My bot”")
    value = next(iter(visitor.find(marker="key-value").elements))
    assert isinstance(value, ui.label)
    press(visitor, "I have copied it")
    await visitor.should_not_see("The value of “My bot”")

    record = sandbox.tracker.account("northwind").key(value.text)
    assert (value.is_deleted, shown(visitor, "name")[0]) == (True, "My bot")
    assert value.text[11:] not in str(table(visitor).rows)
    visitor.find(ui.table).trigger("remove", record.digest)
    assert shown(visitor, "condition")[0] == "deleted"


async def test_a_fault_is_ordered_and_called_off(visitor: User, sandbox: Sandbox) -> None:
    await visitor.open("/tracker/knobs")

    press(visitor, "Apply")
    await visitor.should_see("Requests that get this next: 1, Invalid API key.")
    fault = sandbox.tracker.faults.take("list")
    assert fault
    assert fault.what == "invalid_key"
    press(visitor, "Apply")
    press(visitor, "Clear")

    await visitor.should_see("The service works again.")
    assert sandbox.tracker.faults.take("list") is None
