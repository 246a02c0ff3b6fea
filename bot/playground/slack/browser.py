"""A person's browser, signed in to Slack: the way in which people install the app."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, Morsel, SimpleCookie
from urllib.parse import SplitResult, urljoin, urlsplit

import aiohttp

from bot.playground.slack.authorize_page import PATH, SESSION_COOKIE

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass
class Cookie:
    """One cookie. `ends_at`: by the monotonic clock, in seconds; None: with the browser."""

    value: str
    path: str
    is_secure: bool
    same_site: str
    ends_at: float | None


class Cookies:
    """Cookies by the address that set them, scheme and port included.

    Stricter than browsers, which keep ports together: two programs of one machine are to be two
    sites. Loopback counts as secure, as in browsers.
    """

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Cookie]] = {}

    def take(self, url: str, headers: list[str]) -> None:
        """Keep what the `Set-Cookie` headers of an answer say."""
        parts = urlsplit(url)
        kept = self._kept.setdefault(_origin(parts), {})
        for header in headers:
            for name, morsel in _read(header).items():
                cookie = _cookie(parts, morsel)
                if not _is_refused(parts, name, cookie):
                    kept[name] = cookie

    def put(self, url: str, name: str, value: str) -> None:
        """Keep a cookie for every page of a site."""
        kept = self._kept.setdefault(_origin(urlsplit(url)), {})
        kept[name] = Cookie(value, "/", is_secure=False, same_site="lax", ends_at=None)

    def for_(self, url: str, *, from_elsewhere: bool) -> dict[str, str]:
        """Return what goes along; `from_elsewhere`: another site leads there.

        `SameSite=Strict` stays at home then:
        https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie.
        """
        parts, now = urlsplit(url), time.monotonic()
        return {
            name: cookie.value
            for name, cookie in self._kept.get(_origin(parts), {}).items()
            if cookie.ends_at is None or now < cookie.ends_at
            if _covers(cookie.path, parts.path or "/")
            if not (from_elsewhere and cookie.same_site == "strict")
        }


def _read(header: str) -> "SimpleCookie":
    try:
        return SimpleCookie(header)
    except CookieError:
        return SimpleCookie()


def _cookie(parts: SplitResult, morsel: "Morsel[str]") -> Cookie:
    age = morsel["max-age"]
    folder = parts.path.rpartition("/")[0] or "/"
    return Cookie(
        morsel.value,
        morsel["path"] or folder,
        is_secure=bool(morsel["secure"]),
        same_site=str(morsel["samesite"]).lower(),
        ends_at=time.monotonic() + int(age) if age else None,
    )


def _is_refused(parts: SplitResult, name: str, cookie: Cookie) -> bool:
    """Tell whether a browser would not take it."""
    is_safe = parts.scheme == "https" or parts.hostname in _LOOPBACK
    if cookie.is_secure and not is_safe:
        return True
    if cookie.same_site == "none" and not cookie.is_secure:
        return True
    if name.startswith("__Host-"):
        return not cookie.is_secure or cookie.path != "/"
    return name.startswith("__Secure-") and not cookie.is_secure


def _covers(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _origin(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.netloc}"


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
        self, start_url: str, *, approve: bool = True, org_wide: bool = False
    ) -> Page:
        """Install the app from its own page on; return the page on which that ends.

        Without `approve` they cancel; `org_wide` is for the whole organisation.
        """
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
        """Follow the app's own page to Slack; return the address of Slack's page, not yet open.

        Raises: InstallRefused: the app does not lead there; its page says why.
        """
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

    async def download(self, url: str) -> bytes:
        """Return what is at an address of Slack. Raises: PermissionError: not for this person."""
        cookies = self.cookies.for_(url, from_elsewhere=False)
        request = self._session.get(url, cookies=cookies, allow_redirects=False)
        async with request as response:
            if response.status != 200:
                raise PermissionError(f"status {response.status}: {await response.text()}")
            return await response.read()

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
