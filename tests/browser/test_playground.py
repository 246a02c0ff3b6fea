"""A newcomer in the playground, in a real browser: everything that docs/members.md promises."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import BrowserContext, Page, ViewportSize, expect

from tests.browser.conftest import running_playground
from tests.browser.typing import become, type_command, type_line

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

DNS = re.compile(r"^DNS.* \d+ records$")
# What is wider than the place it has, and no frame that scrolls by itself.
TOO_WIDE = """
[...document.querySelectorAll('body, .sk-scroller, [role=article], [data-block-id]')]
  .filter(box => box.scrollWidth > box.clientWidth + 1)
  .filter(box => !box.querySelector('table') && box.clientWidth > 0)
  .map(box => box.className + ' ' + box.scrollWidth + ' > ' + box.clientWidth)
"""
LOSE_THE_CONNECTION_FOR_4_S = """() => {
  const manager = window.socket.io;
  manager.randomizationFactor(0);
  manager.reconnectionDelay(4000);
  manager.once('reconnect', () => console.log('connected again'));
  manager.engine.close();
}"""
WINDOW: ViewportSize = {"width": 1280, "height": 860}
GENERAL = "/?as=bob&channel=general&dark=0"
LISTED = "domains, average health"  # twelve of them, or one more: another test adds it
ANSWERS = {
    "/domains": LISTED,
    "/scan example.com": "Scan of example.com",
    "/scan exmaple.com": "Did you mean",
    "/domains below:x": "I couldn't read part of that",
    "/adddomain help": "adds a domain",
}


@pytest.fixture(scope="module")
async def tab(browser: BrowserContext) -> AsyncIterator[Page]:
    """One for all: a page in a tab of its own costs half a second of the processor more."""
    tab = await browser.new_page()
    yield tab
    await tab.close()


@pytest.fixture
async def page(tab: Page, address: str) -> AsyncIterator[Page]:
    """Bob in #general; whatever goes wrong in the page's own scripts fails the test."""
    wrong: list[str] = []

    def note(error: object) -> None:
        wrong.append(str(error))

    tab.on("pageerror", note)
    await tab.set_viewport_size(WINDOW)
    await tab.goto(address + GENERAL)
    yield tab
    tab.remove_listener("pageerror", note)
    assert wrong == []


async def test_a_newcomer_scans_folds_a_section_and_sees_all_of_it_in_a_form(page: Page) -> None:
    scan = await type_command(page, "/scan example.com", "Scan of example.com")
    dns = scan.get_by_role("button", name=DNS)
    form = page.get_by_role("dialog", name="DNS")

    await expect(scan.get_by_text("Record 1")).to_be_hidden()
    await dns.click()
    await expect(scan.get_by_text("Record 1")).to_be_visible()
    await scan.get_by_role("button", name="Show all of DNS").click()
    await expect(form).to_contain_text("records, page 1 of")
    await page.keyboard.press("Escape")
    await expect(form).to_be_hidden()
    await dns.click()
    await expect(scan.get_by_text("Record 1")).to_be_hidden()


async def test_the_list_can_be_sorted_by_its_reader(page: Page) -> None:
    # Without the domain that another test adds: it has no score.
    listed = await type_command(page, "/domains tag:prod", "average health")
    health = listed.get_by_role("row").locator("td:nth-of-type(1)")
    await expect(health.nth(0)).to_have_text("38")

    await listed.get_by_role("columnheader", name="Health").get_by_role("button").click()
    await listed.get_by_role("columnheader", name="Health").get_by_role("button").click()

    await expect(health.nth(0)).to_have_text("96")
    shown = [int(text) for text in await health.all_inner_texts()]
    assert shown == sorted(shown, reverse=True)


async def test_what_only_bob_may_see_is_not_shown_to_others_until_he_shares_it(
    page: Page, address: str
) -> None:
    await page.goto(f"{address}/?as=bob&channel=random&dark=0")  # where no other test scans
    scan = await type_command(page, "/scan example.com", "Scan of example.com")
    await become(page, "cy (member)")
    shown = page.get_by_role("article").filter(has_text="Scan of example.com")
    await expect(shown).to_have_count(0)

    await become(page, "bob (member)")
    await scan.get_by_role("button", name="Share").click()
    await expect(page.get_by_role("article").last).to_contain_text("Shared by bob")
    await become(page, "cy (member)")

    await expect(shown).to_have_count(1)


async def test_a_form_says_what_is_wrong_before_it_adds_a_domain(page: Page) -> None:
    await type_line(page, "/adddomain")
    form = page.get_by_role("dialog", name="Add a domain")
    domain = form.get_by_role("textbox", name="Domain")

    await domain.fill("localhost")
    await form.get_by_role("button", name="Add", exact=True).click()
    await expect(form.get_by_role("alert")).to_contain_text("Enter a full domain")
    await domain.fill("https://blog.northwind.example/new")
    await form.get_by_role("button", name="Add", exact=True).click()

    await expect(form).to_be_hidden()
    await expect(page.get_by_role("article").last).to_contain_text("Added blog.northwind.example")


async def test_sending_goes_to_the_newest_message(page: Page) -> None:
    await type_command(page, "/domains", LISTED)
    await type_command(page, "/scan example.com", "Scan of example.com")
    await page.locator(".sk-scroller").first.evaluate("box => { box.scrollTop = -600 }")

    await type_command(page, "/scan help", "scans domains: WHOIS")


async def test_the_commands_are_offered_while_one_types(page: Page) -> None:
    composer = page.get_by_role("textbox", name="Message")
    await composer.press_sequentially("/sc")

    offered = page.get_by_role("listbox", name="Slash commands").get_by_role("option")
    await expect(offered).to_have_count(1)
    await page.keyboard.press("Enter")
    await page.keyboard.type("help")
    await expect(composer).to_have_value("/scan help")
    await page.keyboard.press("Enter")
    await page.keyboard.type("and on")

    await expect(composer).to_have_value("and on")
    await expect(page.get_by_role("article").last).to_contain_text("scans domains: WHOIS")


async def test_a_connection_lost_for_seconds_takes_nothing_away(page: Page) -> None:
    reloads: list[str] = []
    page.on("console", lambda said: reloads.append(said.text) if "reload" in said.text else None)
    composer = page.get_by_role("textbox", name="Message")
    await composer.fill("half a line")
    thread = page.get_by_role("complementary", name="Thread")

    # NiceGUI has no clock to move: by its own setting the page would be forgotten after 3 s.
    await page.evaluate(LOSE_THE_CONNECTION_FOR_4_S)
    async with page.expect_event("console", lambda said: said.text == "connected again"):
        pass
    await composer.press("Enter")

    await expect(page.get_by_role("article").last).to_contain_text("half a line")
    assert reloads == []

    await page.get_by_role("article").last.hover()
    await page.get_by_role("button", name="Reply in thread").last.click()
    await thread.get_by_role("textbox", name="Reply").fill("the other half")
    await thread.get_by_role("textbox", name="Reply").press("Enter")
    await expect(page.get_by_role("button", name="1 reply")).to_be_visible()
    await expect(thread.get_by_role("article").last).to_contain_text("the other half")


async def test_what_is_typed_right_after_a_switch_arrives(page: Page) -> None:
    composer = page.get_by_role("textbox", name="Message")
    await expect(composer).to_be_focused()

    await page.get_by_role("link", name="random").click()
    await page.keyboard.type("Hello")
    await expect(composer).to_have_value("Hello")
    await page.get_by_role("link", name="general").click()
    await page.keyboard.type(" there")
    await page.get_by_role("combobox", name="You are").click()
    await page.get_by_role("option", name="cy (member)").click()
    await page.keyboard.type(", you")
    await page.keyboard.press("Enter")

    said = page.get_by_role("article", name="from cy").last
    await expect(said).to_contain_text("Hello there, you")


async def test_an_admin_connects_a_workspace_to_ten_thousand_domains_which_stay_fluent(
    browser: BrowserContext,
) -> None:
    async with running_playground("--no-key") as address:
        page = await browser.new_page()
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
        await page.keyboard.press("Escape")
        listed = await type_command(page, "/domains", "10,000 domains")
        await listed.get_by_role("button", name="Next page").click()
        await expect(listed).to_contain_text("page 2 of 400")
        await page.goto(f"{address}/tracker?portfolio=atlas")
        await expect(page.get_by_text(re.compile("of 10,?000")).first).to_be_visible(timeout=3_000)
        await page.close()


async def test_every_answer_fits_the_window_and_loads_nothing_from_outside(
    page: Page, address: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(address + GENERAL)
    for line, answer in ANSWERS.items():
        await type_command(page, line, answer)

    for dark, widths in ((0, (1280, 420)), (1, (420, 1280))):
        await page.goto(f"{address}/?as=bob&channel=general&dark={dark}")
        await expect(page.get_by_role("article").last).to_contain_text("adds a domain")
        for width in widths:
            await page.set_viewport_size({"width": width, "height": 800})
            assert await page.evaluate(TOO_WIDE) == [], f"{width} wide, dark={dark}"
        background = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 200) == bool(dark)
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
