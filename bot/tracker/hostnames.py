"""Parse host names as people type them, and write them as the service does."""

import html
import ipaddress
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import idna

from bot.process.errors import BotError

# RFC 1035, section 2.3.4, without the closing dot.
MAX_NAME_CHARS = 253
MAX_LABEL_CHARS = 63
# A name of 253 characters in its longest typed form, with room for a path; idna is slow on more.
MAX_TYPED_CHARS = 2000
# idna takes 50 µs a name: 10,000 of them, at each letter that a person types, half a second.
MAX_REMEMBERED = 20_000
# Underscores are no letters of a host name, but names such as _dmarc.example.com are watched too.
_ASCII_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?")
# Nearly every name of a portfolio: it needs no mapping, so this is quick.
_PLAIN_NAME = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
# How Slack writes links when a command's text is escaped:
# https://docs.slack.dev/messaging/formatting-message-text
_SLACK_LINK = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_AROUND = " \t\r\n`'\"“”‘’()[]{},;!"
# A message has 40,000 characters: https://docs.slack.dev/reference/methods/chat.postMessage.
MAX_CANDIDATES = 2_000
_STOPS = ".\u3002\uff0e\uff61"  # what UTS 46 takes for a dot
_BREAKS = r"\s<>\"'`“”„‘’«»()\[\]{},;|*~…—–•"
_CANDIDATE = re.compile(
    rf"<(?P<link>[^<>|\s]+)(?:\|[^<>]*)?>|[A-Za-z][A-Za-z0-9+.-]*://[^{_BREAKS}]+|[^{_BREAKS}]+"
)
# No version, number or abbreviation ends so: v1.2.3, 1.5k, e.g.
_TOP_LABEL = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]+")
_TEXT_KEYS = {
    *("text", "url", "alt_text", "fallback", "pretext", "title", "title_link", "value"),
    *("author_name", "author_link", "footer", "from_url", "original_url"),
}


class HostProblem(Enum):
    """Why a typed text is no host name that the service could watch."""

    EMPTY = "empty"
    TOO_LONG = "too long"
    LABEL_TOO_LONG = "a label too long"
    SINGLE_LABEL = "a single label"
    IP_ADDRESS = "an IP address"
    EMAIL = "an e-mail address"
    WILDCARD = "a wildcard"
    BAD_CHARACTERS = "bad characters"


class HostNameError(BotError):
    """What was typed is no host name; `problem` says why, `typed` is without Slack's escaping."""

    def __init__(self, problem: HostProblem, typed: str) -> None:
        self.problem = problem
        self.typed = html.unescape(typed)
        super().__init__(f"not a host name: {problem.value}")


def host_name(typed: str) -> str:
    """Return the host name that `typed` means: lower case, ASCII (punycode), no closing dot.

    Understands bare names in any script, URLs, Slack's `<url>` and `<url|label>` with its three
    entities. Raises HostNameError: nothing in it is a domain name.
    """
    if len(typed) <= MAX_NAME_CHARS and _PLAIN_NAME.fullmatch(typed):
        return typed
    if len(typed) > MAX_TYPED_CHARS:
        raise HostNameError(HostProblem.TOO_LONG, typed)
    return _parsed(typed) if len(typed) <= MAX_NAME_CHARS else _parsed.__wrapped__(typed)


@lru_cache(MAX_REMEMBERED)
def unicode_name(host: str) -> str:
    """Return `host` in its own script, or as it is when it cannot be decoded."""
    if "xn--" not in host or len(host) > MAX_NAME_CHARS:
        return host
    try:
        return idna.decode(host)
    except idna.IDNAError:
        return host


@lru_cache(MAX_REMEMBERED)
def _parsed(typed: str) -> str:
    host = _host_part(typed).rstrip(".")
    if not host:
        raise HostNameError(HostProblem.EMPTY, typed)
    if _is_ip_address(host):
        raise HostNameError(HostProblem.IP_ADDRESS, typed)
    if host.startswith("*."):
        raise HostNameError(HostProblem.WILDCARD, typed)
    try:
        # UTS 46 folds case and width, and turns the ideographic full stop into a dot.
        mapped = idna.uts46_remap(host, std3_rules=False, transitional=False).rstrip(".")
        given = mapped.split(".")
        labels = [each if each.isascii() else idna.alabel(each).decode() for each in given]
    except idna.IDNAError as error:
        is_long = "too long" in str(error)
        problem = HostProblem.LABEL_TOO_LONG if is_long else HostProblem.BAD_CHARACTERS
        raise HostNameError(problem, typed) from error
    name = ".".join(labels)
    if not all(map(_ASCII_LABEL.fullmatch, labels)):
        raise HostNameError(HostProblem.BAD_CHARACTERS, typed)
    if max(map(len, labels)) > MAX_LABEL_CHARS:
        raise HostNameError(HostProblem.LABEL_TOO_LONG, typed)
    if len(name) > MAX_NAME_CHARS:
        raise HostNameError(HostProblem.TOO_LONG, typed)
    if len(labels) == 1:
        raise HostNameError(HostProblem.SINGLE_LABEL, typed)
    if labels[-1].isdecimal():  # 127.1: what browsers take for an address, and no zone delegates
        raise HostNameError(HostProblem.IP_ADDRESS, typed)
    return name


def _host_part(typed: str) -> str:
    text = typed.strip(_AROUND)
    # Typed brackets arrive escaped.
    link = _SLACK_LINK.fullmatch(text) or _SLACK_LINK.fullmatch(html.unescape(text))
    text = html.unescape(link[1] if link else text).strip(_AROUND)
    if text.lower().startswith("mailto:"):
        raise HostNameError(HostProblem.EMAIL, typed)
    if not _SCHEME.match(text):  # further on it belongs to a path: example.com/?to=https://…
        if "@" in re.split(r"[/?#]", text)[0]:
            raise HostNameError(HostProblem.EMAIL, typed)
        text = f"http://{text.removeprefix('//')}"
    if _is_ip_address(text.removeprefix("http://").split("/")[0]):
        raise HostNameError(HostProblem.IP_ADDRESS, typed)
    try:
        return urlsplit(text).hostname or ""
    except ValueError as error:  # such as half an IPv6 address
        raise HostNameError(HostProblem.BAD_CHARACTERS, typed) from error


def _is_ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True


def hosts_in(message: Mapping[str, Any]) -> list[str]:
    """Return the host names in a message of Slack, in their order, each once.

    Those in its text, blocks and attachments, but not in e-mail addresses.
    """
    shown = {name: message.get(name) for name in ("text", "blocks", "attachments")}
    candidates = dict.fromkeys(typed for text in _texts(shown) for typed in _candidates(text))
    found = (_host_or_none(typed) for typed in islice(candidates, MAX_CANDIDATES))
    return list(dict.fromkeys(host for host in found if host))


def _texts(tree: Any) -> Iterator[str]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            shown = (value for name, value in node.items() if name in _TEXT_KEYS)
            yield from (value for value in shown if isinstance(value, str))
            node = list(node.values())
        if isinstance(node, list):
            waiting += (each for each in reversed(node) if isinstance(each, dict | list))


def _candidates(text: str) -> Iterator[str]:
    for match in _CANDIDATE.finditer(text):
        typed = match["link"] or match[0].strip(":.")
        is_italic = typed.startswith("_") and typed.endswith("_")
        typed = typed.strip("_") if is_italic else typed
        if any(stop in typed for stop in _STOPS):
            yield typed


def _host_or_none(typed: str) -> str | None:
    try:
        host = host_name(typed)
    except HostNameError:
        return None
    return host if _TOP_LABEL.fullmatch(host.rpartition(".")[2]) else None
