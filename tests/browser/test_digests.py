"""A newcomer and a digest in a real browser: made, previewed, received, paused."""

import re

import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.browser.typing import type_line

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

HEADLINE = re.compile("Health digest: 1[23] domains")  # another test adds the thirteenth


async def test_a_digest_is_made_previewed_received_and_paused(
    browser: BrowserContext, address: str
) -> None:
    page = await browser.new_page()
    await page.set_viewport_size({"width": 1280, "height": 1400})
    await page.goto(f"{address}/?as=bob&channel=general&dark=0")
    dialog = page.get_by_role("dialog")

    await make_digest(page)
    await dialog.get_by_role("button", name="Preview").click()
    await expect(dialog).to_contain_text("only you can see this")
    await dialog.get_by_role("button", name="Close", exact=True).last.click()
    await expect(dialog.get_by_role("button", name="Preview")).to_be_visible()
    await close(page)

    await receive_digest(page)
    newest = page.get_by_role("article").last
    await expect(newest).to_contain_text("Set up by")

    await newest.get_by_role("button", name="Manage").click()
    await dialog.get_by_role("button", name="Pause").click()
    await expect(dialog).to_contain_text("Until")
    await dialog.get_by_role("button", name="Pause", exact=True).click()
    await expect(dialog).to_contain_text("Paused")
    await close(page)  # else bob's next page shows it
    await page.close()


async def make_digest(page: Page) -> None:
    """Make a digest as the form proposes it; its list stays open."""
    dialog = page.get_by_role("dialog")
    await type_line(page, "/domaindigest")
    await dialog.get_by_role("button", name="New", exact=True).click()
    await expect(dialog).to_contain_text("Next five runs")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_contain_text("Saved.")


async def receive_digest(page: Page) -> None:
    """Move the clock to the next working morning, and wait for the digest."""
    posted = page.get_by_role("article").filter(has_text="Next: ")
    before = await posted.count()
    await page.get_by_role("button", name="Clock").click()
    await page.get_by_role("button", name="To 09:00 on the next weekday").click()
    await page.keyboard.press("Escape")
    await expect(posted).to_have_count(before + 1)


async def close(page: Page) -> None:
    """Close the form."""
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_be_hidden()
