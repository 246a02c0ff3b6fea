"""The Domain Tracker's pages, as a visitor uses them."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from bot.playground.page import tracker_pages
from bot.playground.sandbox import Sandbox, fill_account, running_sandbox
from bot.playground.tracker import DomainRecord
from tests.playground.page.visiting import visiting

pytestmark = pytest.mark.anyio


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with running_sandbox(portfolios=("northwind", "harbor")) as sandbox:
        yield sandbox


@pytest.fixture
async def visitor(sandbox: Sandbox) -> AsyncIterator[User]:
    async with visiting(sandbox, tracker_pages.add) as visitor:
        yield visitor


def table(visitor: User) -> ui.table:
    return next(iter(visitor.find(ui.table).elements))


def shown(visitor: User, name: str) -> list[Any]:
    return [row[name] for row in table(visitor).rows]


def northwind(sandbox: Sandbox, domain: str) -> DomainRecord:
    records = sandbox.tracker.account("northwind").domains.values()
    return next(record for record in records if record.domain == domain)


def field(visitor: User, label: str) -> ui.input:
    """Return the field of this label."""
    return next(each for each in visitor.find(ui.input).elements if each.props["label"] == label)


def press(visitor: User, label: str) -> None:
    """Press the button that was drawn last under this label: the one of the dialog."""
    buttons = [each for each in visitor.find(label).elements if isinstance(each, ui.button)]
    found = visitor.find(label)
    found.elements = {max(buttons, key=lambda button: button.id)}
    found.click()


async def test_of_ten_thousand_domains_one_page_is_sent(visitor: User, sandbox: Sandbox) -> None:
    fill_account(sandbox.tracker.account("atlas"))
    await visitor.open("/tracker?portfolio=atlas")

    assert table(visitor).pagination["rowsNumber"] == 10_000
    assert len(table(visitor).rows) == 25


async def test_searching_begins_at_the_first_page(visitor: User) -> None:
    await visitor.open("/tracker?portfolio=harbor")
    wish = {"page": 3, "rowsPerPage": 25, "sortBy": "domain", "descending": False}
    visitor.find(ui.table).trigger("request", {"pagination": wish})

    visitor.find(ui.input).type("CAMPAIGN shop")

    assert table(visitor).pagination["page"] == 1
    assert 0 < table(visitor).pagination["rowsNumber"] < 150
    assert all(
        "campaign" in tags or "Campaign" in folder
        for tags, folder in zip(shown(visitor, "tags"), shown(visitor, "folder"), strict=True)
    )


async def test_a_score_is_changed_in_its_place(visitor: User, sandbox: Sandbox) -> None:
    record = northwind(sandbox, "example.com")
    await visitor.open("/tracker")

    visitor.find(ui.table).trigger("score", {"id": record.domain_id, "value": "12.5"})

    assert record.health == 12.5
    assert 12.5 in shown(visitor, "score")


async def test_a_score_out_of_range_changes_nothing_and_is_told(
    visitor: User, sandbox: Sandbox
) -> None:
    record = northwind(sandbox, "example.com")
    await visitor.open("/tracker")

    visitor.find(ui.table).trigger("score", {"id": record.domain_id, "value": "120"})

    assert record.health == 88
    assert "A score is a number from 0 to 100." in visitor.notify.messages


async def test_a_domain_is_removed_only_after_a_yes(visitor: User, sandbox: Sandbox) -> None:
    record = northwind(sandbox, "example.com")
    await visitor.open("/tracker")
    visitor.find(ui.table).trigger("remove", record.domain_id)
    await visitor.should_see("Remove example.com from the portfolio?")
    assert northwind(sandbox, "example.com") is record

    press(visitor, "Remove")

    await visitor.should_not_see("Remove example.com from the portfolio?")
    assert record.domain_id not in sandbox.tracker.account("northwind").domains


async def test_a_new_keys_value_is_shown_once(visitor: User, sandbox: Sandbox) -> None:
    await visitor.open("/tracker/keys")
    visitor.find("Create key").click()
    await visitor.should_see("Create an API key")
    field(visitor, "Name").value = "My bot"
    press(visitor, "Create")

    await visitor.should_see("The value of “My bot”")
    value = next(iter(visitor.find(marker="key-value").elements))
    press(visitor, "I have copied it")

    await visitor.should_not_see("The value of “My bot”")
    assert sandbox.tracker.account("northwind").keys[-1].name == "My bot"
    assert value.is_deleted


async def test_a_ready_key_is_shown_once(visitor: User, sandbox: Sandbox) -> None:
    account = sandbox.tracker.account("northwind")
    record = next(record for record in account.keys if record.name == "Reports")
    await visitor.open("/tracker/keys")

    visitor.find(ui.table).trigger("reveal", record.digest)
    await visitor.should_see("The value of “Reports”")
    press(visitor, "I have copied it")
    await visitor.should_not_see("The value of “Reports”")
    visitor.find(ui.table).trigger("reveal", record.digest)

    await visitor.should_see("This value was shown already.")


async def test_a_key_is_deleted_only_after_a_yes(visitor: User, sandbox: Sandbox) -> None:
    record = sandbox.tracker.account("northwind").keys[0]
    await visitor.open("/tracker/keys")
    visitor.find(ui.table).trigger("remove", record.digest)
    await visitor.should_see("Delete the key “Domain Tracker for Slack”?")
    assert not record.is_deleted

    press(visitor, "Delete key")

    await visitor.should_not_see("Delete the key “Domain Tracker for Slack”?")
    assert record.is_deleted


async def test_the_list_of_keys_holds_no_value(visitor: User, sandbox: Sandbox) -> None:
    await visitor.open("/tracker/keys")

    demo = sandbox.keys.demo("northwind")
    assert demo[11:] not in str(table(visitor).rows)
    assert f"service_sk_…{demo[-4:]}" in shown(visitor, "key")


async def test_knobs_turn_at_once_and_nonsense_turns_nothing(
    visitor: User, sandbox: Sandbox
) -> None:
    await visitor.open("/tracker/knobs")
    latency = next(
        each
        for each in visitor.find(ui.number).elements
        if each.props["label"].startswith("Every")
    )

    latency.value = 2.5
    for nonsense in (None, 999, -1):
        latency.value = nonsense

    assert sandbox.tracker.latency_s == 2.5


async def test_a_fault_is_ordered_and_called_off(visitor: User, sandbox: Sandbox) -> None:
    await visitor.open("/tracker/knobs")

    press(visitor, "Let it happen")
    await visitor.should_see("The next request gets: Invalid API key.")
    press(visitor, "Back to normal")

    await visitor.should_see("The service works again.")
    assert sandbox.tracker.faults.take("list") is None


def links(visitor: User) -> dict[str, str]:
    found = visitor.find(ui.link).elements
    return {each.text: each.props["href"] for each in found if each.text}


async def test_the_way_back_to_slack_leads_to_who_one_was(visitor: User) -> None:
    await visitor.open("/tracker?portfolio=harbor&as=bob&channel=dm&dark=1&else=1")

    shown = links(visitor)

    assert shown["← Slack"] == "/?as=bob&channel=dm"
    assert shown["API Keys"] == "/tracker/keys?portfolio=harbor&as=bob&channel=dm"


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        ("Next post: Slack is too busy (429)", ("error", 429, "ratelimited", False)),
        ("Next post: connection lost after posting", ("drop", 429, "ratelimited", True)),
        ("Next post refused: archived", ("error", 200, "is_archived", False)),
    ],
)
async def test_the_next_post_to_slack_goes_wrong_to_order_or_not(
    visitor: User, sandbox: Sandbox, label: str, wanted: tuple[object, ...]
) -> None:
    faults = sandbox.slack.world.app.faults
    await visitor.open("/tracker/knobs")

    press(visitor, label)
    await visitor.should_see(f"Ordered: {label}.")
    fault = faults.next_for("chat.postMessage")
    press(visitor, label)
    press(visitor, "None of it")
    await visitor.should_see("Every post works.")

    assert fault
    assert (fault.kind, fault.status, fault.error, fault.after_acting) == wanted
    assert faults.next_for("chat.postMessage") is None
