"""Read the address of a PostgreSQL database.

Without psycopg, whose import costs a process on the embedded store 10 MB and a tenth of a second.
"""

import re
from dataclasses import dataclass
from typing import Any

SCHEMES = ("postgresql://", "postgres://")
# One connection keeps others out while a workspace is deleted over another one.
MIN_POOL_SIZE = 2
MAX_POOL_SIZE = 500
DEFAULT_POOL_SIZE = 10
PORTS = re.compile("[0-9,]*")
UNREADABLE = (
    "the address of the database cannot be read. Write special characters in user or password"
    " as %XX. Options are those of libpq"
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

    `conninfo` is for libpq. `pool_size`: how many connections one process opens at most.
    """

    conninfo: str
    pool_size: int = DEFAULT_POOL_SIZE

    @property
    def location(self) -> str:
        """The host, port and database, for people."""
        from psycopg.conninfo import conninfo_to_dict

        known = conninfo_to_dict(self.conninfo)
        host = known.get("host") or known.get("hostaddr") or "the local socket"
        port = f":{known['port']}" if str(known.get("port") or "").strip(",") else ""
        return f"{host}{port}, database {known.get('dbname') or 'of the same name as the user'}"

    def __repr__(self) -> str:
        return f"Address({self.location}, pool_size={self.pool_size})"


def parse_address(url: str, *, pool_size: int = DEFAULT_POOL_SIZE) -> Address:
    """Return where `postgresql://user:password@host:port/database?option=value` leads.

    The options are libpq's. ValueError: it is something else, or a part of the password would be
    taken for a place, which is shown. The message quotes nothing of it.
    """
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    if not url.startswith(SCHEMES):
        raise ValueError("the address of the database begins with postgresql://")
    _require_escaped(url)
    try:
        known: dict[str, Any] = conninfo_to_dict(url)
    except (ProgrammingError, UnicodeError):  # whose messages may quote the password
        raise ValueError(UNREADABLE) from None
    host, port = (str(known.get(name) or "") for name in ("host", "port"))
    if "@" in host[1:] or not PORTS.fullmatch(port):  # a password may be in it
        raise ValueError(UNREADABLE)
    return Address(make_conninfo(**{**DEFAULTS, **known}), pool_size)


def _require_escaped(url: str) -> None:
    """Refuse an `@` but the one behind user and password, which libpq looks for before any `/`.

    https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
    """
    first, *others = url.partition("://")[2].split("@")
    if len(others) > 1 or (others and {*"/?"} & {*first}):
        raise ValueError(UNREADABLE)
