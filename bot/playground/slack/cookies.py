"""A browser's cookies: which go along with which request."""

import time
from dataclasses import dataclass
from http.cookies import CookieError, Morsel, SimpleCookie
from urllib.parse import SplitResult, urlsplit

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
                if _is_refused(parts, name, cookie):
                    continue
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

    def clear(self) -> None:
        """Forget all, as a private window does when it is closed."""
        self._kept.clear()


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
