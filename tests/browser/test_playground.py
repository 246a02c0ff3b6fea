"""The playground in a real browser: one tour for members, and one for an admin."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright, expect

from tests.browser.conftest import CHROMIUM, FLAGS, running_playground
from tests.browser.typing import (
    become,
    close,
    make_digest,
    receive_digest,
    type_command,
    type_line,
)
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.browser

DNS = re.compile(r"^DNS")


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """Return a page; whatever goes wrong in its own scripts fails the test."""
    wrong: list[Any] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = await browser.new_page(viewport={"width": 1280, "height": 1400})
        page.set_default_timeout(TIME_LIMIT_S * 1000)
        page.on("pageerror", lambda error: wrong.append(error))
        yield page
        await browser.close()
    assert wrong == []


async def test_members_use_commands_digests_and_tabs(page: Page) -> None:
    async with running_playground() as address:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.goto(f"{address}/?as=bob&channel=general")
        await type_commands(page)
        await become(page, "bob (member)")
        await make_and_pause_a_digest(page)
        await open_channels_and_tabs(page)
        assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


async def type_commands(page: Page) -> None:
    """Scan, list, add and share."""
    composer = page.get_by_role("textbox", name="Message")
    await composer.press_sequentially("/sc")
    offered = page.get_by_role("listbox", name="Slash commands").get_by_role("option")
    await expect(offered).to_have_count(1)
    await page.keyboard.press("Tab")
    await expect(composer).to_have_value("/scan ")

    scan = await type_command(page, "/scan example.com", "Scan of example.com")
    await scan.get_by_role("button", name=DNS).click()
    await expect(scan.get_by_text("Record 1")).to_be_visible()
    await scan.get_by_role("button", name="Show all of DNS").click()
    await expect(page.get_by_role("dialog")).to_contain_text("records, page 1 of")
    await close(page)

    listed = await type_command(page, "/domains tag:prod", "average health")
    health = listed.get_by_role("row").locator("td:nth-of-type(1)")
    await expect(health.nth(0)).to_have_text("🔴 38")
    for _ in range(2):
        await listed.get_by_role("columnheader", name="Health").get_by_role("button").click()
    await expect(health.nth(0)).to_have_text("🟢 96")

    await type_line(page, "/adddomain")
    form = page.get_by_role("dialog", name="Add a domain")
    for typed in ("localhost", "https://blog.northwind.example/new"):
        await form.get_by_role("textbox", name="Domain").fill(typed)
        await form.get_by_role("button", name="Add", exact=True).click()
        if typed == "localhost":
            await expect(form.get_by_role("alert")).to_contain_text("Enter a full domain")
    added = page.get_by_role("article").last
    await expect(added).to_contain_text("Added blog.northwind.example")

    shared = page.get_by_role("article").filter(has_text="Scan of example.com")
    await become(page, "cy (member)")
    await expect(shared).to_have_count(0)
    await become(page, "bob (member)")
    await shared.get_by_role("button", name="Share").click()
    await become(page, "cy (member)")
    await expect(shared).to_have_count(1)


async def make_and_pause_a_digest(page: Page) -> None:
    dialog = page.get_by_role("dialog")
    await make_digest(page)
    await dialog.get_by_role("button", name="Preview").click()
    await expect(dialog).to_contain_text("only you can see this")
    await dialog.get_by_role("button", name="Close", exact=True).last.click()
    await close(page)

    await receive_digest(page)
    newest = page.get_by_role("article").last
    await expect(newest).to_contain_text("Set up by")
    await newest.get_by_role("button", name="Manage").click()
    await dialog.get_by_role("button", name="Pause").click()
    await expect(dialog).to_contain_text("Until")
    await dialog.get_by_role("button", name="Pause", exact=True).click()
    await expect(dialog).to_contain_text("Paused")
    await close(page)


async def open_channels_and_tabs(page: Page) -> None:
    await page.get_by_role("link", name="random").click()
    await page.keyboard.type("Hello")  # right after a switch, and nothing is lost
    await page.keyboard.press("Enter")
    said = page.get_by_role("article").last
    await expect(said).to_contain_text("Hello")
    await said.hover()
    await page.get_by_role("button", name="Reply in thread").last.click()
    thread = page.get_by_role("complementary", name="Thread")
    await thread.get_by_role("textbox", name="Reply").fill("there")
    await thread.get_by_role("textbox", name="Reply").press("Enter")
    await expect(page.get_by_role("button", name="1 reply")).to_be_visible()

    entry = page.get_by_role("link", name=re.compile("^Domain Tracker"))
    await expect(entry).to_have_count(1)
    await entry.click()
    await page.get_by_role("button", name="Home", exact=True).click()
    await expect(page.get_by_text("Worst first", exact=True)).to_be_visible()
    await page.get_by_role("button", name="About").click()
    await expect(page.get_by_text("Domain Tracker watches your domains")).to_be_visible()
    await page.get_by_role("button", name="Messages").click()
    await expect(page.get_by_role("log", name="Messages")).to_be_visible()
    await expect(entry).to_have_attribute("aria-current", "page")


async def test_ten_thousand_domains_stay_fluent(page: Page) -> None:
    async with running_playground("--no-key") as address:
        await page.goto(f"{address}/tracker/keys?portfolio=atlas")
        await page.get_by_role("button", name="Create key").click()
        await page.get_by_role("textbox", name="Name").fill("Slack")
        await page.get_by_role("dialog").get_by_role("button", name="Create").click()
        key = await page.locator("text=/^service_sk_.{41}$/").first.inner_text()
        await page.goto(f"{address}/?as=ada&channel=general")

        state = await type_command(page, "/domainkey", "not connected")
        await state.get_by_role("button", name="Set key").click()
        form = page.get_by_role("dialog", name="Domain Tracker API key")
        await form.get_by_role("textbox", name="API key").fill(key)
        await form.get_by_role("button", name="Check and save").click()
        await expect(form).to_contain_text("works and is saved. It sees 10,000 domains")
        await close(page)

        listed = await type_command(page, "/domains", "10,000 domains")
        await listed.get_by_role("button", name="Next page").click()
        await expect(listed).to_contain_text("page 2 of 400")
        await page.goto(f"{address}/tracker?portfolio=atlas")
        await expect(page.get_by_text(re.compile("of 10,?000")).first).to_be_visible()
        await page.goto(f"{address}/tracker/knobs")
        await page.get_by_role("button", name="Apply").click()
        await expect(page.get_by_text("Requests that get this next: 1")).to_be_visible()
