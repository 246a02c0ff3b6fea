"""What a file of `export` asks for. Plain data."""

from dataclasses import dataclass
from datetime import datetime

from bot.digests.digest import Plan, Trouble
from bot.operating.spots import Spot
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedPause:
    """`since` is `None`: since it is so. The rest as in `Pause`."""

    since: datetime | None
    until: datetime | None
    by: str | None
    why: Trouble | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedDigest:
    """A digest as the file has it; `made_by_name` and `made_at` are `None` where it does not say.

    `spot` is where the file names its channel, for problems that show later.
    """

    digest_id: str
    plan: Plan
    pause: WantedPause | None
    made_by: str
    made_by_name: str | None
    made_at: datetime | None
    spot: Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedManagers:
    """Who manages the key, by id; each is `None` where the file does not say."""

    user_ids: tuple[str, ...] | None = None
    group_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class WantedWorkspace:
    """A workspace as the file has it; `admins_only` is `None` where it does not say."""

    workspace: WorkspaceId
    admins_only: bool | None
    digests: tuple[WantedDigest, ...]
    managers: WantedManagers
