"""Which strings are domain names, and when two of them are the same one."""

import re

import idna

MAX_NAME_CHARS = 253  # RFC 1035, section 2.3.4, written without the trailing dot
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# Two labels at least, and a last one with a letter: neither `localhost` nor an IP address.
HOST_NAME = re.compile(rf"(?:{LABEL}\.)+(?=[a-z0-9-]*[a-z]){LABEL}")


def canonical_name(text: str) -> str:
    """Return the lower-case ASCII form of a domain name: what duplicates are known by.

    Strict on purpose: a scheme, path, port, blank or trailing dot is the caller's mistake.

    Raises:
        ValueError: the text is no domain name.
    """
    name = text.lower() if text.isascii() else _ascii_form(text)
    if len(name) > MAX_NAME_CHARS or not HOST_NAME.fullmatch(name):
        raise ValueError("not a domain name")
    return name


def _ascii_form(text: str) -> str:
    try:
        return idna.encode(text, uts46=True).decode()
    except idna.IDNAError as error:
        raise ValueError("not a domain name") from error
