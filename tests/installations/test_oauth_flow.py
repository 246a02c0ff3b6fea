"""Installing in a browser, from the link to the page at the end, over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
from pydantic import SecretStr
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from bot.installations import pages as install_pages
from bot.installations.installation import Installation, organisation
from bot.installations.oauth_flow import COOKIE, LINES_A_MINUTE, InstallFlow
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.settings import Settings
from bot.slack.auth import NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.web.server import HealthEndpoints, listening
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.installations.builders import (
    Gate,
    a_memory,
    a_repository,
    a_revoked_installation,
    kept,
)
from tests.installations.slack_stub import (
    ANSWER,
    CLIENT_ID,
    CLIENT_SECRET,
    CODE,
    OF_ORGANISATION,
    SlackStub,
    running_slack_stub,
)
from tests.memory import MemoryDocuments
from tests.ports import reserve_port

INSTALL, BACK = "/slack/install", "/slack/oauth_redirect"


class Page:
    """What a browser was answered."""

    def __init__(self, status: int, headers: dict[str, str], text: str) -> None:
        self.status, self.headers, self.text = status, headers, text

    @property
    def location(self) -> str:
        return self.headers["Location"]

    @property
    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.location).query)

    @property
    def reference(self) -> str:
        return self.text.rpartition("the reference <code>")[2].partition("<")[0]

    def says(self, *words: str) -> bool:
        return all(word in self.text for word in words)


class Browser:
    """One browser, with its own cookies."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))

    async def get(self, path: str, **query: str) -> Page:
        url = URL(self.url + path).with_query(query)
        async with self.http.get(url, allow_redirects=False) as answer:
            return Page(answer.status, dict(answer.headers), await answer.text())

    async def back(self, state: str, code: str = CODE, **query: str) -> Page:
        """Come back from Slack."""
        return await self.get(BACK, code=code, state=state, **query)

    async def begin(self, **query: str) -> str:
        """Begin to install; return the state that Slack would hand back."""
        [state] = (await self.get(INSTALL, **query)).query["state"]
        return state

    async def install(self) -> Page:
        return await self.back(await self.begin())


class Bot:
    """A bot that can be installed, a Slack stub, a browser, and whom the bot welcomed."""

    def __init__(self, slack: SlackStub, port: int, slack_http: aiohttp.ClientSession) -> None:
        self.slack = slack
        self.clock = FakeClock()
        self.documents = MemoryDocuments()
        self.welcomed: list[tuple[Installation, Installation | None]] = []
        self.url = f"http://127.0.0.1:{port}"
        self.browser = Browser(self.url)
        self.tasks = Tasks()
        client = AsyncWebClient(base_url=slack.url, session=slack_http, retry_handlers=[])
        self.flow = InstallFlow(
            Settings(
                domain_tracker_url="http://127.0.0.1:9",
                slack_client_id=CLIENT_ID,
                slack_client_secret=SecretStr(CLIENT_SECRET),
                slack_signing_secret=SecretStr("x"),
                slack_authorize_url="https://slack.example/oauth/v2/authorize",
                public_url=self.url,
            ),
            a_memory(self.documents, self.clock.seconds),
            client=client,
            clock=self.clock,
            on_installed=self.welcome,
            tasks=self.tasks,
        )

    async def made(self) -> Installation:
        return await kept(self.documents)

    def welcome(self, installation: Installation, before: Installation | None) -> None:
        self.welcomed.append((installation, before))


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(running_slack_stub())
        http = await stack.enter_async_context(aiohttp.ClientSession())
        port = reserve_port()
        bot = Bot(slack, port, http)
        health = HealthEndpoints({})
        pages = bot.flow.routes()
        await stack.enter_async_context(listening("127.0.0.1", port, health, None, pages))
        await stack.enter_async_context(bot.browser.http)
        yield bot


@pytest.fixture
def browser(bot: Bot) -> Browser:
    return bot.browser


async def test_the_link_leads_to_slacks_consent_page(bot: Bot) -> None:
    page = await bot.browser.get(INSTALL)

    query = {name: value for name, [value] in page.query.items()}
    assert page.status == 302
    assert page.location.partition("?")[0] == "https://slack.example/oauth/v2/authorize"
    assert query.pop("state")
    assert query == {
        "client_id": CLIENT_ID,
        "scope": ",".join([*NEEDED_SCOPES, *OPTIONAL_SCOPES]),
        "redirect_uri": bot.url + BACK,
    }
    assert not await bot.documents.list_prefix("")


async def test_installing_keeps_what_slack_gave_and_says_what_to_do_next(bot: Bot) -> None:
    page = await bot.browser.install()

    assert page.status == 200
    assert page.says("Installed in Acme", "/domainkey", "app_redirect?app=A1&amp;team=T1")
    made = await bot.made()
    assert (made.home, made.token) == (WorkspaceId("T1"), "xoxb-given")
    assert (made.installed_at, made.scopes) == (MOMENT, ("commands", "chat:write"))
    assert made.bot_user_id == "U0BOT"
    assert bot.welcomed == [(made, None)]
    assert bot.slack.forms == [{"code": CODE, "redirect_uri": bot.url + BACK}]
    assert "xoxb" not in repr(made)


async def test_an_organisation_reads_how_to_add_workspaces(bot: Bot) -> None:
    bot.slack.answer |= OF_ORGANISATION

    page = await bot.browser.install()

    assert page.says("Installed for Starship", "E1")
    [(made, before)] = bot.welcomed
    assert (made, before) == (await kept(bot.documents, organisation("E1")), None)


async def test_pages_are_kept_nowhere_and_their_cookie_belongs_to_one_browser(
    browser: Browser,
) -> None:
    begun, page = await browser.get(INSTALL), await browser.install()

    for answer in (begun, page):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Content-Security-Policy"] == install_pages.POLICY
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    flags = begun.headers["Set-Cookie"].split("; ")[1:]
    assert set(flags) == {"HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=600"}
    assert page.headers["Set-Cookie"].startswith(f'{COOKIE}=""; expires=Thu, 01 Jan 1970')


async def test_installing_again_replaces_tokens_and_ends_the_revocation(bot: Bot) -> None:
    before = a_revoked_installation()
    await a_repository(bot.documents).put(before)

    page = await bot.browser.install()

    made = await bot.made()
    assert (made.token, made.revoked_at) == ("xoxb-given", None)
    assert made.scopes == ("commands", "chat:write")
    assert bot.welcomed == [(made, before)]
    assert page.says("Installed in Acme")


@pytest.mark.parametrize(
    "wrong",
    [
        *({"state": state} for state in ("tampered", "", "ü")),
        *({"code": code} for code in ("", "a b", "x" * 2000)),
    ],
    ids=str,
)
async def test_a_state_or_code_that_cannot_be_leads_back_to_the_beginning(
    bot: Bot, wrong: dict[str, str]
) -> None:
    state = await bot.browser.begin()

    page = await bot.browser.get(BACK, **({"state": state, "code": CODE} | wrong))

    assert page.status == 400
    assert page.says(bot.url + INSTALL)
    assert not bot.slack.forms
    assert not await bot.documents.list_prefix("")
    assert (await bot.browser.back(state)).status == 200


async def test_a_stop_waits_until_what_slack_gave_is_kept(bot: Bot) -> None:
    gate = bot.slack.before_answer = Gate()
    coming = asyncio.create_task(bot.browser.install())
    await gate.until_reached()
    coming.cancel()  # the browser leaves

    assert not await bot.tasks.drain(0.05)
    gate.open()
    assert await bot.tasks.drain(TIME_LIMIT_S)

    assert (await bot.made()).token == "xoxb-given"


REFUSED = {"ok": False, "error": "invalid_code"}
# what Slack answers, the status of our page, and what the log says
FAILURES: dict[str, tuple[dict[str, Any] | tuple[int, str], int, str]] = {
    "refused": (REFUSED, 400, "invalid_code"),
    "without a workspace": (ANSWER | {"team": {"id": 7}}, 502, ""),
    "without an organisation": (ANSWER | {"is_enterprise_install": True}, 502, ""),
    "without a token": (ANSWER | {"access_token": None}, 502, ""),
    "broken": ((503, ""), 502, ""),
    "too many": ((429, ""), 502, ""),
    "our secret": (REFUSED | {"error": "bad_client_secret"}, 500, "SLACK_CLIENT_SECRET"),
}


@pytest.mark.parametrize(("answer", "status", "logged"), FAILURES.values(), ids=FAILURES)
async def test_an_unusable_answer_of_slack_is_explained(
    bot: Bot,
    answer: dict[str, Any] | tuple[int, str],
    status: int,
    logged: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if isinstance(answer, tuple):
        bot.slack.raw = answer
    else:
        bot.slack.answer = answer

    page = await bot.browser.install()

    said = capsys.readouterr()
    assert page.status == status
    assert page.says("Begin again", bot.url + INSTALL)
    assert page.reference
    assert page.reference in said.out
    assert logged in said.out
    assert CODE not in said.out + said.err


async def test_wrong_codes_of_a_stranger_do_not_fill_the_log(
    bot: Bot, capsys: pytest.CaptureFixture[str]
) -> None:
    bot.slack.answer = REFUSED
    for _ in range(2 * LINES_A_MINUTE):
        for state in (await bot.browser.begin(), "made-up"):
            assert (await bot.browser.back(state)).status == 400

    said = capsys.readouterr().out
    assert said.count("an installation failed") == LINES_A_MINUTE


async def test_a_workspace_whose_organisation_has_the_app_reads_whom_to_ask(bot: Bot) -> None:
    bot.slack.answer = {"ok": False, "error": "cannot_install_an_org_installed_app"}

    page = await bot.browser.install()

    assert page.status == 400
    assert page.says("Your organization has it already", "add your workspace")


async def test_what_a_stranger_writes_into_the_address_is_hidden_and_no_alarm(
    browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    for error in ("<script>alert(1)</script>", "bad_client_secret"):
        page = await browser.get(BACK, error=error)

        said = page.text + capsys.readouterr().out
        assert page.status == 400
        assert "alert" not in said
        assert "SLACK_CLIENT_SECRET" not in said


async def test_any_error_has_a_reference(
    bot: Bot, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(install_pages, "installed_page")

    page = await bot.browser.install()

    assert page.status == 500
    assert page.reference in capsys.readouterr().out


async def test_looking_without_fetching_uses_nothing_up(bot: Bot) -> None:
    browser, state = bot.browser, await bot.browser.begin()

    async with browser.http.head(URL(bot.url + BACK).with_query(code=CODE, state=state)) as head:
        assert head.status == 405
    async with browser.http.head(bot.url + INSTALL, allow_redirects=False) as head:
        assert head.status == 302
        [again] = parse_qs(urlsplit(head.headers["Location"]).query)["state"]

    assert (await browser.back(again)).status == 200
