"""A person's browser, signed in to Slack: the way in which people install the app."""

from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import Morsel, SimpleCookie
from urllib.parse import SplitResult, urljoin, urlsplit

import aiohttp

from bot.playground.slack.authorize_page import PATH, SESSION_COOKIE

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Cookies:
    """Cookies by the address that set them; stricter than browsers, which keep ports together."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Morsel[str]]] = {}

    def take(self, url: str, headers: list[str]) -> None:
        """Keep what the `Set-Cookie` headers of an answer say."""
        parts = urlsplit(url)
        kept = self._kept.setdefault(_origin(parts), {})
        for name, morsel in [each for header in headers for each in SimpleCookie(header).items()]:
            if morsel["max-age"] == "0":
                kept.pop(name, None)
            elif not _is_refused(parts, morsel):
                morsel["path"] = morsel["path"] or parts.path.rpartition("/")[0] or "/"
                kept[name] = morsel

    def for_(self, url: str, *, from_elsewhere: bool) -> dict[str, str]:
        """Return what goes along; no `SameSite=Strict` where another site leads there."""
        parts = urlsplit(url)
        return {
            name: morsel.value
            for name, morsel in self._kept.get(_origin(parts), {}).items()
            if _covers(morsel["path"], parts.path or "/")
            if not (from_elsewhere and morsel["samesite"].lower() == "strict")
        }


def _is_refused(parts: SplitResult, morsel: "Morsel[str]") -> bool:
    """Tell whether a browser would not take it; loopback counts as secure, as in browsers."""
    if morsel["secure"]:
        is_safe = parts.scheme == "https" or parts.hostname in _LOOPBACK
        return not is_safe or (morsel.key.startswith("__Host-") and morsel["path"] != "/")
    needs_safety = morsel.key.startswith(("__Host-", "__Secure-"))
    return needs_safety or morsel["samesite"].lower() == "none"


def _covers(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _origin(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.netloc}"


_MOST_REDIRECTS = 10
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
        self.cookies.take(slack_url, [f"{SESSION_COOKIE}={signed_in}; Path=/"])

    async def install(
        self, start_url: str, *, approve: bool = True, org_wide: bool = False
    ) -> Page:
        """Install the app from its own page on; return the page on which that ends."""
        try:
            address = await self.begin(start_url)
            if approve:
                callback = await self.approve(address, org_wide=org_wide)
            else:
                callback = await self.cancel(address)
        except InstallRefused as refused:
            return refused.page
        return await self.open(callback, from_elsewhere=True)

    async def begin(self, start_url: str) -> str:
        """Follow the app's own page; return Slack's address. Raises: InstallRefused."""
        page = await self.open(start_url, until=PATH)
        if not page.url.startswith(f"{self._slack_url}{PATH}"):
            raise InstallRefused(page)
        return page.url

    async def approve(self, authorize_url: str, *, org_wide: bool = False) -> str:
        """Allow the app on Slack's page; return the address that leads back, not yet open.

        Raises: InstallRefused: Slack does not let them.
        """
        fields = [("decision", "allow"), ("org_wide", "1" if org_wide else "")]
        return await self._answered(authorize_url, fields)

    async def cancel(self, authorize_url: str) -> str:
        """Refuse the app on Slack's page; return the address that leads back, not yet open."""
        return await self._answered(authorize_url, [("decision", "cancel")])

    async def open(self, url: str, *, from_elsewhere: bool = False, until: str = "") -> Page:
        """Open an address, follow its redirects, and stop before `until`, a path of Slack."""
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

    async def download(self, url: str) -> bytes:
        """Return what is at an address of Slack. Raises: PermissionError: not for this person."""
        cookies = self.cookies.for_(url, from_elsewhere=False)
        request = self._session.get(url, cookies=cookies, allow_redirects=False)
        async with request as response:
            if response.status != 200:
                raise PermissionError(f"status {response.status}: {await response.text()}")
            return await response.read()

    async def _answered(self, authorize_url: str, fields: list[tuple[str, str]]) -> str:
        form = aiohttp.FormData(fields)
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
