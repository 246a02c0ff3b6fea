"""What a sentence about a failure may need to know."""

from dataclasses import dataclass
from datetime import date

from bot.keys import KeyRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Who asked what, and what is known of the workspace's key.

    `reference` finds the failure in the log. `command_line` is what `Try again` runs, `None`
    when there is nothing to run. `key` is `None` when the workspace has none.
    """

    reference: str
    today: date
    is_admin: bool = False
    command_line: str | None = None
    key: KeyRecord | None = None
    egress_addresses: tuple[str, ...] = ()
    requests_left: int | None = None
    is_kept: bool = False
