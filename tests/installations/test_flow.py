"""Installing in a browser, from the link to the page at the end, over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from bot.concurrency import Tasks
from bot.installations.models import Installation, Tokens, organisation
from bot.installations.oauth_flow import (
    INSTALL_PATH,
    LIVES_FOR,
    REDIRECT_PATH,
    InstallationStore,
    InstallFlow,
    InstallStates,
)
from bot.slack.auth import OAuthCalls
from bot.store.documents import StoreError
from bot.views import install_pages
from bot.web import HealthEndpoints, InstallEndpoint, listening
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.installations.builders import RING
from tests.installations.renewals import a_memory, a_shelf, an_installation, kept
from tests.installations.slack_stub import (
    CLIENT_ID,
    CLIENT_SECRET,
    CODE,
    SlackStub,
    running_slack_stub,
)
from tests.memory import MemoryDocuments
from tests.ports import reserve_port
from tests.test_deduplication import TroubledSeen

pytestmark = pytest.mark.anyio

INSTALL, BACK = "/slack/install", "/slack/oauth_redirect"
COOKIE = "slack-app-oauth-state"


class Browser:
    """One browser, with its own cookies."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))

    async def get(self, path: str, **query: str) -> "Page":
        url = URL(self.url + path).with_query(query)
        async with self.http.get(url, allow_redirects=False) as answer:
            return Page(answer.status, dict(answer.headers), await answer.text())

    async def begin(self, **query: str) -> str:
        """Begin to install; return the state that Slack would hand back."""
        [state] = parse_qs(urlsplit((await self.get(INSTALL, **query)).location).query)["state"]
        return state

    async def install(self) -> "Page":
        return await self.get(BACK, code=CODE, state=await self.begin())


class Page:
    """What a browser was answered."""

    def __init__(self, status: int, headers: dict[str, str], text: str) -> None:
        self.status, self.headers, self.text = status, headers, text

    @property
    def location(self) -> str:
        return self.headers["Location"]

    def says(self, *words: str) -> bool:
        return all(word in self.text for word in words)


class Hall:
    """A bot that can be installed, a Slack stub, and whom the bot welcomed."""

    def __init__(self, slack: SlackStub, port: int, slack_http: aiohttp.ClientSession) -> None:
        self.slack = slack
        self.clock = FakeClock()
        self.documents = MemoryDocuments()
        self.welcomed: list[tuple[Installation, Installation | None]] = []
        self.welcome_error: Exception | None = None
        self.url = f"http://127.0.0.1:{port}"
        self.tasks = Tasks()
        self.used = TroubledSeen()
        client = AsyncWebClient(base_url=slack.url, session=slack_http, retry_handlers=[])
        self.flow = InstallFlow(
            AsyncOAuthSettings(
                client_id=CLIENT_ID,
                client_secret=CLIENT_SECRET,
                scopes=["commands", "chat:write"],
                user_scopes=[],
                redirect_uri=self.url + REDIRECT_PATH,
                install_path=INSTALL_PATH,
                redirect_uri_path=REDIRECT_PATH,
                install_page_rendering_enabled=False,
                authorization_url="https://slack.example/oauth/v2/authorize",
                installation_store=InstallationStore(a_memory(self.documents, self.clock.seconds)),
                state_store=InstallStates(RING, clock=self.clock, used=self.used),
            ),
            calls=OAuthCalls(client, client_id=CLIENT_ID, client_secret=CLIENT_SECRET),
            pages=install_pages,
            on_installed=self.welcome,
            tasks=self.tasks,
            clock=self.clock,
            at_once=2,
            waits_s=0.1,
            seconds=self.clock.seconds,
        )

    async def welcome(self, installation: Installation, before: Installation | None) -> None:
        self.welcomed.append((installation, before))
        if self.welcome_error:
            raise self.welcome_error


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(running_slack_stub())
        http = await stack.enter_async_context(aiohttp.ClientSession())
        port = reserve_port()
        hall = Hall(slack, port, http)
        endpoint = InstallEndpoint(hall.flow)
        health = HealthEndpoints({})
        await stack.enter_async_context(listening("127.0.0.1", port, health, None, endpoint))
        yield hall


@pytest.fixture
async def browser(hall: Hall) -> AsyncIterator[Browser]:
    browser = Browser(hall.url)
    yield browser
    await browser.http.close()


async def test_the_link_leads_to_slacks_question_with_all_that_the_bot_asks_for(
    hall: Hall, browser: Browser
) -> None:
    page = await browser.get(INSTALL)

    address = urlsplit(page.location)
    query = {name: value for name, [value] in parse_qs(address.query).items()}
    assert page.status == 302
    assert address._replace(query="").geturl() == "https://slack.example/oauth/v2/authorize"
    assert query.pop("state")
    assert query == {
        "client_id": CLIENT_ID,
        "scope": "commands,chat:write",
        "redirect_uri": hall.url + BACK,
    }
    assert not await hall.documents.list_prefix("")


@pytest.mark.parametrize(
    ("team", "expected"),
    [("T123", ["T123"]), ("T1&redirect_uri=https://evil.example", None), ("", None)],
)
async def test_a_link_may_name_a_workspace_and_nothing_else(
    browser: Browser, team: str, expected: list[str] | None
) -> None:
    page = await browser.get(INSTALL, team=team)

    query = parse_qs(urlsplit(page.location).query)
    assert query.get("team") == expected
    assert len(query["redirect_uri"]) == 1


async def test_installing_keeps_what_slack_gave_and_says_what_to_do_next(
    hall: Hall, browser: Browser
) -> None:
    page = await browser.install()

    assert page.status == 200
    assert page.says("Installed in Acme", "/domainkey", "app_redirect?app=A1&amp;team=T1")
    expected = an_installation(token="xoxb-given", scopes=("commands", "chat:write"))
    made = (await kept(hall.documents)).installation
    assert made.installed_at == MOMENT
    assert (made.home, made.tokens, made.scopes, made.bot_id, made.bot_user_id) == (
        *(expected.home, expected.tokens, expected.scopes),
        *("B1", "U0BOT"),
    )
    assert hall.welcomed == [(made, None)]


async def test_pages_are_kept_nowhere_and_load_nothing(hall: Hall, browser: Browser) -> None:
    begun, page = await browser.get(INSTALL), await browser.install()

    for answer in (begun, page):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"] == install_pages.POLICY


async def test_the_cookie_is_for_this_browser_alone_and_goes_when_it_is_done(
    hall: Hall, browser: Browser
) -> None:
    begun, page = await browser.get(INSTALL), await browser.install()

    flags = begun.headers["Set-Cookie"].split("; ")[1:]
    assert set(flags) == {"HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=600"}
    assert page.headers["Set-Cookie"].startswith(f"{COOKIE}=deleted; SameSite=Lax; HttpOnly;")
    assert "Expires=Thu, 01 Jan 1970" in page.headers["Set-Cookie"]


async def test_tokens_that_end_count_from_before_the_question(
    hall: Hall, browser: Browser
) -> None:
    hall.slack.answer |= {"refresh_token": "xoxe-1-given", "expires_in": 43200}

    await browser.install()

    assert (await kept(hall.documents)).installation.tokens == Tokens(
        access="xoxb-given", refresh="xoxe-1-given", expires_at=MOMENT + timedelta(hours=12)
    )


async def test_an_organisation_is_shown_the_way_to_its_workspaces(
    hall: Hall, browser: Browser
) -> None:
    hall.slack.answer |= {
        "team": None,
        "enterprise": {"id": "E1", "name": "Starship"},
        "is_enterprise_install": True,
    }

    page = await browser.install()

    assert page.says("Installed for Starship", "/manage/E1/integrations/profile/A1/workspaces/add")
    assert (await kept(hall.documents, organisation("E1"))).installation.is_org_wide


async def test_installing_again_replaces_tokens_and_scopes_and_ends_the_revocation(
    hall: Hall, browser: Browser
) -> None:
    before = an_installation(tokens=None, revoked_at=MOMENT, scopes=("commands",))
    await a_shelf(hall.documents).put(before)

    await browser.install()

    made = (await kept(hall.documents)).installation
    assert made.tokens == Tokens(access="xoxb-given")
    assert made.scopes == ("commands", "chat:write")
    assert made.revoked_at is None
    assert hall.welcomed == [(made, before)]


async def test_a_welcome_that_fails_does_not_break_the_page(hall: Hall, browser: Browser) -> None:
    hall.welcome_error = RuntimeError("boom")

    page = await browser.install()

    assert page.status == 200
    assert page.says("Installed in Acme")


async def test_a_bot_whose_id_slack_does_not_tell_now_is_installed_all_the_same(
    hall: Hall, browser: Browser
) -> None:
    hall.slack.is_bot_unknown = True

    assert (await browser.install()).status == 200
    assert (await kept(hall.documents)).installation.bot_id is None


async def test_whoever_says_no_to_slack_is_told_that_nothing_has_changed(
    hall: Hall, browser: Browser
) -> None:
    page = await browser.get(BACK, error="access_denied", state=await browser.begin())

    assert page.status == 200
    assert page.says("Nothing was installed", hall.url + INSTALL)


async def test_another_browser_cannot_finish_what_this_one_began(
    hall: Hall, browser: Browser
) -> None:
    state = await browser.begin()
    other = Browser(hall.url)

    page = await other.get(BACK, code=CODE, state=state)
    await other.http.close()

    assert page.status == 400
    assert page.says("in the browser in which you began", hall.url + INSTALL)
    assert not hall.slack.forms
    assert (await browser.get(BACK, code=CODE, state=state)).status == 200


@pytest.mark.parametrize("change", ["tampered", "empty", "other", "none"])
async def test_a_state_that_is_not_the_browsers_own_leads_nowhere(
    hall: Hall, browser: Browser, change: str
) -> None:
    state = await browser.begin()
    states = {"tampered": state[:-4] + "AAA=", "empty": "", "other": "x", "none": None}
    query = {"code": CODE} | ({"state": brought} if (brought := states[change]) else {})

    page = await browser.get(BACK, **query)

    assert page.status == 400
    assert not hall.slack.forms
    assert not await hall.documents.list_prefix("")
    assert (await browser.get(BACK, code=CODE, state=state)).status == 200


async def test_a_cookie_that_says_the_same_does_not_make_a_state_ours(
    hall: Hall, browser: Browser
) -> None:
    browser.http.cookie_jar.update_cookies({COOKIE: "forged"}, URL(hall.url))

    page = await browser.get(BACK, code=CODE, state="forged")

    assert page.status == 400
    assert not hall.slack.forms


async def test_the_same_way_back_is_good_once(hall: Hall, browser: Browser) -> None:
    state = await browser.begin()
    jar = browser.http.cookie_jar.filter_cookies(URL(hall.url))
    await browser.get(BACK, code=CODE, state=state)
    browser.http.cookie_jar.update_cookies(jar, URL(hall.url))

    page = await browser.get(BACK, code=CODE, state=state)

    assert page.status == 400
    assert page.says("If you have seen that the app is installed, all is well")
    assert len(hall.slack.forms) == 1


async def test_ten_minutes_are_too_long(hall: Hall, browser: Browser) -> None:
    state = await browser.begin()
    hall.clock.advance(LIVES_FOR.total_seconds())

    assert (await browser.get(BACK, code=CODE, state=state)).status == 400
    assert not hall.slack.forms


@pytest.mark.parametrize("query", [{}, {"code": ""}, {"code": "a b"}, {"code": "x" * 2000}])
async def test_no_code_leads_back_to_the_beginning_and_uses_nothing_up(
    hall: Hall, browser: Browser, query: dict[str, str]
) -> None:
    state = await browser.begin()

    page = await browser.get(BACK, state=state, **query)

    assert page.status == 400
    assert page.says(hall.url + INSTALL)
    assert not hall.slack.forms
    assert (await browser.get(BACK, code=CODE, state=state)).status == 200


async def test_codes_of_somebodys_own_making_leave_nothing_in_the_store(
    hall: Hall, browser: Browser
) -> None:
    for number in range(5):
        page = await browser.get(BACK, state=await browser.begin(), code=f"{number}{CODE}")
        assert page.status == 400

    assert not await hall.documents.list_prefix("")


async def test_only_so_many_codes_are_brought_to_slack_at_once(
    hall: Hall, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    gate, is_full = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        if len(hall.slack.forms) == 2:
            is_full.set()
        await gate.wait()

    hall.slack.before_answer = wait
    browsers = [Browser(hall.url) for _ in range(2)]
    early = [asyncio.create_task(each.install()) for each in browsers]
    async with asyncio.timeout(TIME_LIMIT_S):
        await is_full.wait()

    page = await browser.install()
    gate.set()
    async with asyncio.timeout(TIME_LIMIT_S):
        pages = await asyncio.gather(*early)
    for each in browsers:
        await each.http.close()

    assert page.status == 502
    assert page.says("Wait a minute and begin again")
    assert "too many installations at once" in capsys.readouterr().out
    assert sorted(each.status for each in pages) == [200, 400]  # of two the code is good for one
    assert len(hall.slack.forms) == 2


async def test_strangers_spend_only_so_many_codes_a_minute_and_then_people_install_again(
    hall: Hall, browser: Browser
) -> None:
    async def guess() -> int:
        return (await browser.get(BACK, code="guessed", state=await browser.begin())).status

    guesses = [await guess() for _ in range(33)]
    refused = len(hall.slack.forms)
    hall.clock.advance(60)

    page = await browser.install()

    assert guesses == [400] * 30 + [502] * 3
    assert refused == 30
    assert page.status == 200


async def test_a_stop_waits_until_what_slack_gave_is_kept(hall: Hall, browser: Browser) -> None:
    gate, is_asked = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        is_asked.set()
        await gate.wait()

    hall.slack.before_answer = wait
    coming = asyncio.create_task(browser.install())
    async with asyncio.timeout(TIME_LIMIT_S):
        await is_asked.wait()
    coming.cancel()  # the browser leaves

    assert not await hall.tasks.drain(0.05)
    gate.set()
    assert await hall.tasks.drain(TIME_LIMIT_S)

    assert (await kept(hall.documents)).installation.tokens == Tokens(access="xoxb-given")


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        (MOMENT + timedelta(minutes=2), MOMENT + timedelta(minutes=2)),
        (MOMENT - timedelta(hours=23), MOMENT - timedelta(hours=23)),
        (MOMENT + timedelta(days=2), MOMENT),
        ("soon", MOMENT),
    ],
    ids=str,
)
async def test_the_moment_of_an_installation_is_that_of_slacks_clock(
    hall: Hall, browser: Browser, date: datetime | str, expected: datetime
) -> None:
    hall.slack.date = date if isinstance(date, str) else format_datetime(date, usegmt=True)

    await browser.install()

    assert (await kept(hall.documents)).installation.installed_at == expected


async def test_a_code_that_slack_refuses_is_said_with_a_reference(
    hall: Hall, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    hall.slack.codes = []

    page = await browser.install()

    assert page.status == 400
    assert page.says("Slack did not accept this", hall.url + INSTALL)
    said = capsys.readouterr()
    assert reference_of(page) in said.out
    assert "invalid_code" in said.out
    assert CODE not in said.out + said.err


@pytest.mark.parametrize("raw", [(200, "<html>busy</html>"), (503, ""), (200, "[]")], ids=str)
async def test_a_slack_that_answers_nothing_readable_is_said_with_a_reference(
    hall: Hall, browser: Browser, raw: tuple[int, str], capsys: pytest.CaptureFixture[str]
) -> None:
    hall.slack.raw = raw

    page = await browser.install()

    assert page.status == 502
    assert page.says("Slack did not answer")
    assert reference_of(page) in capsys.readouterr().out


async def test_a_store_that_fails_is_said_with_a_reference(
    hall: Hall, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    state = await browser.begin()
    await hall.documents.close()

    page = await browser.get(BACK, code=CODE, state=state)

    assert page.status == 500
    assert page.says("please begin again")
    assert reference_of(page) in capsys.readouterr().out


async def test_while_nobody_knows_which_states_were_used_no_code_is_spent(
    hall: Hall, browser: Browser
) -> None:
    state = await browser.begin()
    hall.used.error = StoreError("down")
    failed = await browser.get(BACK, code=CODE, state=state)
    hall.used.error = None

    assert failed.status == 500
    assert failed.says("please begin again")
    assert hall.slack.forms == []
    assert (await browser.install()).status == 200


async def test_what_a_stranger_writes_into_the_address_is_not_shown(
    hall: Hall, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    page = await browser.get(BACK, error="<script>alert(1)</script>")

    assert page.status == 400
    assert "alert" not in page.text + capsys.readouterr().out


async def test_what_breaks_unforeseen_leaves_a_reference_too(
    hall: Hall, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_names: object) -> str:
        raise RuntimeError("boom")

    hall.flow._pages = Broken(broken)  # type: ignore[assignment]  # nothing else can break

    page = await browser.install()

    assert page.status == 500
    assert page.text.split()[-1].strip(".") in capsys.readouterr().out


class Broken:
    """Pages of which one cannot be made."""

    def __init__(self, broken: Any) -> None:
        self.installed_page = broken


async def test_looking_without_fetching_uses_nothing_up(hall: Hall, browser: Browser) -> None:
    state = await browser.begin()

    async with browser.http.head(URL(hall.url + BACK).with_query(code=CODE, state=state)) as head:
        assert head.status == 405
    async with browser.http.head(hall.url + INSTALL, allow_redirects=False) as head:
        assert head.status == 302
        [again] = parse_qs(urlsplit(head.headers["Location"]).query)["state"]

    assert (await browser.get(BACK, code=CODE, state=again)).status == 200


async def test_without_oauth_there_is_nothing_to_install() -> None:
    port = reserve_port()
    async with (
        listening("127.0.0.1", port, HealthEndpoints({}), None),
        aiohttp.ClientSession() as http,
    ):
        for path in (INSTALL, BACK):
            async with http.get(f"http://127.0.0.1:{port}{path}") as answer:
                assert answer.status == 404


def reference_of(page: Page) -> str:
    return page.text.rpartition("Reference <code>")[2].partition("<")[0]


async def test_what_only_an_operator_can_mend_is_not_to_be_tried_again(
    hall: Hall, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    hall.slack.answer = {"ok": False, "error": "bad_client_secret"}

    page = await browser.install()

    assert page.status == 500
    assert page.says("the bot’s operator")
    assert not page.says("Begin again")
    assert "SLACK_CLIENT_SECRET" in capsys.readouterr().out


async def test_a_workspace_whose_organisation_has_the_app_reads_whom_to_ask(
    hall: Hall, browser: Browser
) -> None:
    hall.slack.answer = {"ok": False, "error": "cannot_install_an_org_installed_app"}

    page = await browser.install()

    assert page.status == 400
    assert page.says("Your organization has it already", "add your workspace")


async def test_whoever_installs_again_reads_that_nothing_is_lost(
    hall: Hall, browser: Browser
) -> None:
    await browser.install()
    hall.slack.codes.append(CODE)

    page = await browser.install()

    assert page.says("Installed again", "Your setup is unchanged")
