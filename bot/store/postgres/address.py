"""Read the address of a PostgreSQL database.

Without psycopg, whose import costs a process on the embedded store 10 MB and a tenth of a second.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl

SCHEMES = ("postgresql://", "postgres://")
# One connection keeps others out while a workspace is deleted over another one.
MIN_POOL_SIZE = 2
MAX_POOL_SIZE = 500
DEFAULT_POOL_SIZE = 10
PORTS = re.compile("[0-9,]*")
OWN_OPTIONS = ("pool_mode", "pool_size")
UNREADABLE = (
    "the address of the database cannot be read. Write special characters in user or password"
    " as %XX. Options are those of libpq, pool_mode and pool_size"
)
# What the address does not say otherwise. A network that drops packets is noticed in seconds:
# https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
DEFAULTS = {
    "application_name": "domain-tracker-bot",
    "client_encoding": "utf8",
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}


@dataclass(frozen=True, slots=True, repr=False)
class Address:
    """A database and how to reach it. Shows no password.

    `conninfo` is for libpq. `is_pooled`: behind a pooler that hands a connection out for one
    transaction at a time, so that nothing may outlive a transaction. `pool_size`: how many
    connections one process opens at most.
    """

    conninfo: str
    is_pooled: bool = False
    pool_size: int = DEFAULT_POOL_SIZE

    @property
    def place(self) -> str:
        """The host, port and database, for people."""
        from psycopg.conninfo import conninfo_to_dict

        known = conninfo_to_dict(self.conninfo)
        host = known.get("host") or known.get("hostaddr") or "the local socket"
        port = f":{known['port']}" if str(known.get("port") or "").strip(",") else ""
        return f"{host}{port}, database {known.get('dbname') or 'of the same name as the user'}"

    def __repr__(self) -> str:
        return f"Address({self.place}, is_pooled={self.is_pooled}, pool_size={self.pool_size})"


def parse_address(url: str, *, pool_size: int = DEFAULT_POOL_SIZE) -> Address:
    """Return where `postgresql://user:password@host:port/database?option=value` leads.

    Our own options are `pool_mode=transaction` (or `session`) and `pool_size`, which wins over the
    argument; all others are libpq's. ValueError: it is something else, or a part of the password
    would be taken for a place, which is shown. The message quotes nothing of it.
    """
    from psycopg.conninfo import make_conninfo

    if not url.startswith(SCHEMES):
        raise ValueError("the address of the database begins with postgresql://")
    _require_escaped(url)
    base, _, query = url.partition("?")
    given = query.split("&") if query else []
    ours = dict(parse_qsl(query))
    theirs = "&".join(each for each in given if each.partition("=")[0] not in OWN_OPTIONS)
    known = _parameters(f"{base}?{theirs}" if theirs else base)
    _require_place(str(known.get("host") or ""), str(known.get("port") or ""))
    if (mode := ours.get("pool_mode", "session")) not in {"session", "transaction"}:
        raise ValueError("pool_mode in the address of the database is session or transaction")
    return Address(
        make_conninfo(**{**DEFAULTS, **known}),
        is_pooled=mode == "transaction",
        pool_size=_pool_size(ours.get("pool_size", str(pool_size))),
    )


def _require_escaped(url: str) -> None:
    """Refuse an `@` but the one behind user and password, which libpq looks for before any `/`.

    https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
    """
    first, *others = url.partition("://")[2].split("@")
    if len(others) > 1 or (others and {*"/?"} & {*first}):
        raise ValueError(UNREADABLE)


def _require_place(hosts: str, ports: str) -> None:
    """Refuse hosts and ports, comma separated, that cannot be any: a password may be in them."""
    if not (all(map(_is_host, hosts.split(","))) and PORTS.fullmatch(ports)):
        raise ValueError(UNREADABLE)


def _is_host(text: str) -> bool:
    if text.startswith(("/", "@")):  # a socket in the file system, or an abstract one
        return True
    if not {*"@:/"} & {*text}:
        return True
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _parameters(url: str) -> dict[str, Any]:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        return conninfo_to_dict(url)
    except (ProgrammingError, UnicodeError):  # whose messages may quote the password
        raise ValueError(UNREADABLE) from None


def _pool_size(text: str) -> int:
    if text.isascii() and text.isdigit() and MIN_POOL_SIZE <= int(text) <= MAX_POOL_SIZE:
        return int(text)
    raise ValueError(
        "pool_size in the address of the database is a whole number from"
        f" {MIN_POOL_SIZE} to {MAX_POOL_SIZE}"
    )
