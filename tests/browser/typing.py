"""What people do in the page, and how a test sees that it has happened."""

from playwright.async_api import Locator, Page, expect

MARK_AS_OLD = "articles => articles.forEach(article => article.setAttribute('data-old', ''))"


async def type_line(page: Page, line: str) -> None:
    """Type a line into the composer and send it."""
    composer = page.get_by_role("textbox", name="Message")
    await composer.click()
    await composer.fill(line)
    await composer.press("Escape")  # closes the list of commands, so that Enter sends
    await composer.press("Enter")


async def type_command(page: Page, line: str, answer: str) -> Locator:
    """Type a command; return the newest message, once it shows `answer`.

    What stood there before is marked: the same command may have been answered in this channel.
    """
    await expect(page.locator(".sk-item").first).to_be_attached()
    await page.get_by_role("article").evaluate_all(MARK_AS_OLD)
    await type_line(page, line)
    newest = page.locator("[role=article]:not([data-old])").last
    await expect(newest).to_contain_text(answer)
    await expect(newest).to_be_in_viewport()
    return newest


async def become(page: Page, name: str) -> None:
    """Switch to another person, as the page calls them: "ada (admin)"."""
    await page.get_by_role("combobox", name="You are").click()
    await page.get_by_role("option", name=name).click()
    await expect(page.get_by_role("combobox", name="You are")).to_have_value(name)


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
