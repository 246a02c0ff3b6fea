"""What a sentence about a failure may need to know."""

from dataclasses import dataclass
from datetime import datetime

from bot.allowance import Allowance
from bot.keys import KeyRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Who asked what, and what is known of the workspace's key.

    `reference` finds the failure in the log. `command_line` is what `Try again` runs, `None`
    when there is nothing to run. `key` is `None` when the workspace has none. `allowance` is
    known when there are not enough requests.
    """

    reference: str
    now: datetime
    is_admin: bool = False
    command_line: str | None = None
    key: KeyRecord | None = None
    egress_addresses: tuple[str, ...] = ()
    allowance: Allowance | None = None
    is_kept: bool = False
