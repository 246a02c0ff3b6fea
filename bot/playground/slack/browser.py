"""Somebody's browser, signed in to Slack: the way in which people install the app."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import aiohttp

from bot.playground.slack.authorizing import PATH, SESSION_COOKIE
from bot.playground.slack.cookies import Cookies

_MOST_REDIRECTS = 10
_CRUMB = re.compile(r'name="crumb" value="([0-9a-f]+)"')
_REDIRECTS = {301, 302, 303, 307, 308}


@dataclass(frozen=True)
class Page:
    """What somebody sees in the end. `url` is its address, after all redirects."""

    status: int
    text: str
    url: str
    headers: Mapping[str, str]


class InstallRefused(Exception):  # noqa: N818  reads as what the person finds
    """Slack shows a page that says why the app cannot be installed."""

    def __init__(self, page: Page) -> None:
        super().__init__(page.text)
        self.page = page


class Browser:
    """A browser with its own cookies. `slack_url` is the address of Slack, without a path."""

    def __init__(self, session: aiohttp.ClientSession, slack_url: str, signed_in: str) -> None:
        self._session = session
        self._slack_url = slack_url
        self.cookies = Cookies()
        self.cookies.put(slack_url, SESSION_COOKIE, signed_in)

    async def install(
        self,
        start_url: str,
        *,
        approve: bool = True,
        org_wide: bool = False,
        declined: Iterable[str] = (),
    ) -> Page:
        """Install the app from its own page on; return the page on which that ends.

        `declined` are optional scopes that the person does not grant. See `Person.install`.
        """
        page = await self.open(start_url, until=PATH)
        if not page.url.startswith(f"{self._slack_url}{PATH}"):
            return page
        try:
            if not approve:
                callback = await self.cancel(page.url)
            else:
                callback = await self.approve(page.url, org_wide=org_wide, declined=declined)
        except InstallRefused as refused:
            return refused.page
        return await self.open(callback, from_elsewhere=True)

    async def begin(self, start_url: str) -> str:
        """Follow the app's own page to Slack; return the address of Slack's page, not yet open.

        Raises:
            InstallRefused: the app does not lead there; its page says why.
        """
        page = await self.open(start_url, until=PATH)
        if not page.url.startswith(f"{self._slack_url}{PATH}"):
            raise InstallRefused(page)
        return page.url

    async def approve(
        self, authorize_url: str, *, org_wide: bool = False, declined: Iterable[str] = ()
    ) -> str:
        """Allow the app on Slack's page; return the address that leads back, not yet open.

        Raises:
            InstallRefused: Slack does not let them.
        """
        fields = [("decision", "allow"), *(("declined", scope) for scope in declined)]
        return await self._answered(
            authorize_url, [*fields, ("org_wide", "1" if org_wide else "")]
        )

    async def cancel(self, authorize_url: str) -> str:
        """Refuse the app on Slack's page; return the address that leads back, not yet open."""
        return await self._answered(authorize_url, [("decision", "cancel")])

    async def open(self, url: str, *, from_elsewhere: bool = False, until: str = "") -> Page:
        """Open an address and follow its redirects; stop before one to `until`, a path of Slack.

        `from_elsewhere`: a link or redirect of another site leads there.
        """
        page = await self._get(url, from_elsewhere=from_elsewhere)
        for _ in range(_MOST_REDIRECTS):
            if page.status not in _REDIRECTS or "Location" not in page.headers:
                break
            target = urljoin(page.url, page.headers["Location"])
            if until and target.startswith(f"{self._slack_url}{until}"):
                return Page(page.status, page.text, target, page.headers)
            is_other_site = urlsplit(target).netloc != urlsplit(page.url).netloc
            from_elsewhere = from_elsewhere or is_other_site
            page = await self._get(target, from_elsewhere=from_elsewhere)
        return page

    async def _answered(self, authorize_url: str, fields: list[tuple[str, str]]) -> str:
        page = await self._get(authorize_url, from_elsewhere=True)
        crumb = _CRUMB.search(page.text)
        if crumb is None:
            raise InstallRefused(page)
        form = aiohttp.FormData([*fields, ("crumb", crumb[1])])
        answer = await self._send("POST", authorize_url, form, from_elsewhere=False)
        if answer.status != 302:
            raise InstallRefused(answer)
        return answer.headers["Location"]

    async def _get(self, url: str, *, from_elsewhere: bool) -> Page:
        return await self._send("GET", url, None, from_elsewhere=from_elsewhere)

    async def _send(
        self, verb: str, url: str, form: aiohttp.FormData | None, *, from_elsewhere: bool
    ) -> Page:
        cookies = self.cookies.for_(url, from_elsewhere=from_elsewhere)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        request = self._session.request(
            verb, url, data=form, headers=headers if cookies else {}, allow_redirects=False
        )
        async with request as response:
            self.cookies.take(url, response.headers.getall("Set-Cookie", []))
            return Page(response.status, await response.text(), url, response.headers)
