"""What the processes of one bot know together: a part of the composition root.

On the embedded store there is one process, whose own memory is all there is to know.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from bot.installations.recent import REMEMBERED_FOR_S
from bot.portfolio import versions
from bot.portfolio.versions import OnlyHere, StoredVersions, Versions
from bot.seen import ASKED_WITHIN_S, RecentlySeen, Seen, SeenByAny
from bot.storage import Stored

# An installation that another process has changed may be that old.
FRESH_FOR_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Commons:
    """`seen` never raises; `used` does, for what may under no doubt be done twice.

    `None` in either: each of those who ask remembers for itself. `installations_for_s`: how long
    an installation is taken as it was read. `periodic` keeps the shared memory small.
    """

    seen: Seen | None
    used: Seen | None
    versions: Versions
    installations_for_s: float
    periodic: Mapping[str, Callable[[], Awaitable[object]]] = field(default_factory=dict)


def commons_of(stored: Stored, *, patience: float) -> Commons:
    """Return what is known together on this store; for `patience` see `Pace`."""
    if stored.shared is None:
        return Commons(
            seen=None, used=None, versions=OnlyHere(), installations_for_s=REMEMBERED_FOR_S
        )
    by_all, here = stored.shared.seen, RecentlySeen(clock=time.monotonic)
    return Commons(
        seen=SeenByAny(by_all, here=here, asked_within_s=ASKED_WITHIN_S * patience),
        used=by_all,
        versions=StoredVersions(
            stored.documents, asked_within_s=versions.ASKED_WITHIN_S * patience
        ),
        installations_for_s=FRESH_FOR_S,
        periodic={"seen": by_all.drop_old, "bans": stored.shared.drop_bans},
    )
