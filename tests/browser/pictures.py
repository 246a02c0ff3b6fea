"""Take the pictures of the documents from the playground: `python -m tests.browser.pictures`."""

import asyncio
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright, expect

from tests.browser.conftest import CHROMIUM, FLAGS, running_playground
from tests.browser.typing import close, make_digest, receive_digest, type_command, type_line

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SCANNED = (
    *("portal", "portal", "mail", "mail", "mail", "shop", "shop", "shop", "jobs", "checkout"),
    *("status", "münchen"),
)
AT = "@domain_tracker"
SICK = "shop.northwind.example"
HALF_READ = "checkout.northwind.example"  # its WHOIS lookup was rate limited
SEASONS = ("summer.example", "autumn.example", "winter.example", "bücher.example")
TALL = (1280, 1500)
WIDE, HIGH, NARROW = (1280, 860), (1280, 960), (420, 1200)
READABLE = (1000, 1500)  # a message of this window is as wide as the text of README.md
MARGIN = 6
TRIES = 10
FALLEN = {"mail.northwind.example": 61, "jobs.northwind.example": 44}
QUESTION = (
    "Browsers warn of shop.northwind.example, and spring-sale.example is gone. Can you look?"
)


async def main() -> None:
    """Take every picture."""
    FOLDER.mkdir(exist_ok=True)
    async with running_playground() as address, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        await _commands(browser, address)
        await _phone(browser, address)
        await _digests(browser, address)
        await _admin(browser, address)
        await _home(browser, address)
        await _tracker(browser, address)
        async with running_playground("--no-key") as unconnected:
            await _home_without_key(browser, unconnected)
        async with running_playground() as ailing:
            await _alarm(browser, ailing)
        async with running_playground() as fallen:
            await _shortcut(browser, fallen)
            await _alert(browser, fallen)
            await _bulk_scan(browser, fallen)
        async with running_playground("--mentions") as heard:
            await _mention(browser, heard)
        await browser.close()


async def _commands(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=bob&channel=general&dark=0", HIGH)
    await type_command(page, f"/scan {HALF_READ}", "WHOIS could not be checked")
    await _keep(page, "scan.png")
    page = await _open(browser, f"{address}/?as=bob&channel=general&dark=0", WIDE)
    await type_command(page, f"/scan {SICK}", f"Scan of {SICK}")
    await type_command(page, "/domains", "12 domains")
    await _keep(page, "domains.png")
    await page.goto(f"{address}/?as=bob&channel=general&dark=1")
    await type_command(page, "/scan exmaple.com", "is not in your portfolio")
    await type_command(page, "/domains below:80", "worst first")
    await _keep(page, "domains-dark.png")


async def _digests(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=bob&channel=general&dark=0", TALL)
    dialog = page.get_by_role("dialog")
    await type_line(page, "/domaindigest")
    await dialog.get_by_role("button", name="New", exact=True).click()
    await dialog.get_by_text("Next five runs").wait_for()
    await _keep(page, "digest-form.png")
    await close(page)
    await make_digest(page)
    await _keep(page, "digest-list.png")
    await close(page)
    await receive_digest(page)
    for host in SCANNED:  # a scan moves the score
        name = f"{host}.northwind.example"
        await type_command(page, f"/scan {name}", f"Scan of {name}")
    line = '/adddomain spring.northwind.example folder:"Web shops" tag:prod'
    await (await type_command(page, line, "Added ")).screenshot(path=FOLDER / "add.png")
    line = f"/adddomain {' '.join(SEASONS)} {SICK} later tag:prod"
    await (await type_command(page, line, "Add 4 ")).screenshot(path=FOLDER / "add-list.png")
    await type_command(page, "/adddomain beta.northwind.example", "Added ")
    await page.reload()
    await receive_digest(page)
    await _keep(page, "digest.png")


async def _phone(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=cy&channel=general&dark=1", NARROW)
    await type_command(page, f"/scan {SICK}", f"Scan of {SICK}")
    await _keep(page, "scan-phone.png")


async def _admin(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=ada&channel=general&dark=0", WIDE)
    await type_command(page, "/domainkey", "Domain Tracker API key")
    await _keep(page, "key-state.png")
    await page.get_by_role("button", name="Replace key").last.click()
    await page.get_by_role("dialog").get_by_text("Step 1 of 3").wait_for()
    await _keep(page, "key-rotation.png")
    await page.get_by_role("dialog").get_by_text("Scopes", exact=True).wait_for()
    await _keep(page, "key-form.png")
    await close(page)


async def _home(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=bob&channel=home&dark=0", WIDE)
    await page.get_by_text("Worst first", exact=True).wait_for()
    await _keep(page, "home-member.png")
    page = await _open(browser, f"{address}/?as=ada&channel=home&dark=0", TALL)
    await page.get_by_text("Domain Tracker API key").wait_for()
    await _keep(page, "home-manager.png")


async def _home_without_key(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=ada&channel=home&dark=0", WIDE)
    await page.get_by_role("button", name="Set key").wait_for()
    await _keep(page, "home-no-key.png")
    await page.goto(f"{address}/tracker/keys")
    await page.get_by_role("button", name="Create key").click()
    await page.get_by_role("textbox", name="Name").fill("Slack")
    await page.get_by_role("dialog").get_by_role("button", name="Create").click()
    key = await page.locator("text=/^service_sk_.{41}$/").first.inner_text()
    page = await _open(browser, f"{address}/?as=ada&channel=general&dark=0", READABLE)
    state = await type_command(page, "/domainkey", "not connected")
    await state.get_by_role("button", name="Set key").click()
    await page.get_by_role("textbox", name="API key").fill(key)
    await page.get_by_role("button", name="Check and save").click()
    await page.get_by_role("button", name="Digest here").wait_for()
    await close(page)
    await _keep_message(page, "first-steps.png", "first-steps-dark.png")


async def _tracker(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/tracker/keys", WIDE)
    await page.get_by_text("API Keys").first.wait_for()
    await _keep(page, "api-keys.png")
    await page.goto(f"{address}/inspector")
    await _keep(page, "inspector.png")


async def _alarm(browser: Browser, address: str) -> None:
    """Take the picture at the top of README.md: a digest after a scan has found an issue."""
    page = await _open(browser, f"{address}/?as=bob&channel=general&dark=0", READABLE)
    dialog = page.get_by_role("dialog")
    await type_line(page, "/domaindigest")
    await dialog.get_by_role("button", name="New", exact=True).click()
    await dialog.get_by_role("button", name="Save").click()
    await dialog.get_by_text("Saved.").wait_for()
    await close(page)
    await receive_digest(page)
    await type_command(page, f"/scan {SICK}", f"Scan of {SICK}")
    await page.reload()
    await receive_digest(page)
    await _keep_message(page, "alarm.png", "alarm-dark.png", to_table=True)


async def _shortcut(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=cy&channel=general&dark=0", WIDE)
    await type_line(page, QUESTION)
    for dark, name in enumerate(("shortcut.png", "shortcut-dark.png")):
        page = await _open(browser, f"{address}/?as=bob&channel=general&dark={dark}", WIDE)
        message = page.get_by_role("article").last
        await message.hover()
        await message.get_by_role("button", name="More actions").click()
        await page.get_by_role("menuitem", name="Scan domains in message").click()
        await page.get_by_role("dialog").get_by_text("shop.northwind.example").first.wait_for()
        await _keep(page, name)
        await close(page)


async def _mention(browser: Browser, address: str) -> None:
    for dark, name in enumerate(("mention.png", "mention-dark.png")):
        page = await _open(browser, f"{address}/?as=bob&channel=general&dark={dark}", WIDE)
        await type_command(page, f"{AT} domains tag:prod", "average health")
        await _keep(page, name)


async def _alert(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=bob&channel=general&dark=0", READABLE)
    dialog = page.get_by_role("dialog")
    await type_line(page, "/domaindigest")
    await dialog.get_by_role("button", name="New", exact=True).click()
    await dialog.get_by_role("combobox", name="Post").click()
    await page.get_by_role("option", name="every 15 minutes").click()
    await page.wait_for_timeout(600)  # for pictures only: let what moves come to rest
    await dialog.get_by_role("button", name="Save").click()
    await dialog.get_by_text("Saved.").wait_for()
    await close(page)
    await _move_clock(page, "To 09:00 on the next weekday")
    await page.wait_for_timeout(3_000)  # its first look posts nothing
    for name, score in FALLEN.items():
        await _set_score(browser, address, name, score)
    await _move_clock(page, "+1 hour")
    await expect(page.get_by_role("article").last).to_contain_text("got worse")
    await _keep_message(page, "alert.png", "alert-dark.png")


async def _bulk_scan(browser: Browser, address: str) -> None:
    page = await _open(browser, f"{address}/?as=bob&channel=general&dark=0", WIDE)
    price = await type_command(page, "/scan below:80", "Scan ")
    await price.get_by_role("button", name="Start").click()
    page = await _open(browser, f"{address}/?as=bob&channel=dm&dark=0", READABLE)
    await page.get_by_text("Worst issues first").wait_for(timeout=120_000)
    await _keep_message(page, "bulk-scan.png", "bulk-scan-dark.png")


async def _move_clock(page: Page, move: str) -> None:
    await page.get_by_role("button", name="Clock").click()
    await page.get_by_role("button", name=move).click()
    await page.keyboard.press("Escape")


async def _set_score(browser: Browser, address: str, name: str, score: int) -> None:
    page = await _open(browser, f"{address}/tracker", WIDE)
    shown = page.get_by_role("button", name=f"Change the score of {name}")
    field = page.get_by_label("Health score", exact=True)
    for _ in range(TRIES):  # a click is lost while the table is drawn again
        await shown.click()
        await page.wait_for_timeout(600)
        if await field.count():
            break
    await field.fill(str(score))
    await field.press("Enter")
    await expect(shown).to_contain_text(str(score))


async def _keep_message(page: Page, *names: str, to_table: bool = False) -> None:
    """Keep the newest message in light and dark, all of it or to the end of its first table."""
    for dark, name in enumerate(names):
        await page.goto(page.url.replace("dark=0", f"dark={dark}"))
        await _keep_newest(page, name, to_table=to_table)


async def _keep_newest(page: Page, name: str, *, to_table: bool) -> None:
    message = page.get_by_role("article").last
    await message.scroll_into_view_if_needed()
    await page.mouse.move(0, 0)
    await page.wait_for_timeout(600)  # for pictures only: let what moves come to rest
    whole = await message.bounding_box()
    assert whole
    height = whole["height"]
    if to_table:
        table = await message.get_by_role("table").first.bounding_box()
        assert table
        height = table["y"] + table["height"] - whole["y"] + MARGIN
    await page.screenshot(
        path=FOLDER / name,
        clip={"x": whole["x"], "y": whole["y"], "width": whole["width"], "height": height},
    )


async def _open(browser: Browser, address: str, size: tuple[int, int]) -> Page:
    page = await browser.new_page(viewport={"width": size[0], "height": size[1]})
    await page.goto(address)
    return page


async def _keep(page: Page, name: str) -> None:
    await page.wait_for_timeout(600)  # for pictures only: let what moves come to rest
    await page.screenshot(path=FOLDER / name)


if __name__ == "__main__":
    asyncio.run(main())
