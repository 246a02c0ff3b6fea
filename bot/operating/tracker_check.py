"""What is to be said of Domain Tracker's address. Pure but for the asking."""

from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from bot.operating.finding import Finding, failure, ok, warning
from bot.operating.printing import shown
from bot.tracker.errors import TrackerError
from bot.tracker.presence import Presence

SETTING = "DOMAIN_TRACKER_URL"
MEND = (
    "It must be the address in front of /api/tools/domain-tracker, reachable from here without a"
    " redirect."
)


async def check_tracker(look: Callable[[], Awaitable[Presence]], url: str) -> Sequence[Finding]:
    """Return whether the service answers at `url`, where `look` looks for it."""
    try:
        presence = await look()
    except TrackerError as error:
        return [failure(SETTING, f"no answer from {shown(url)} ({shown(str(error))})", MEND)]
    if not presence.is_tracker:
        said = f"something else answers at {shown(url)}, with status {presence.status}"
        return [failure(SETTING, said, MEND)]
    if _is_open_to_others(url):
        said = f"answers at {shown(url)}, to which API keys travel unencrypted"
        return [warning(SETTING, said, "Use https if the service has it.")]
    return [ok(SETTING, f"Domain Tracker answers at {shown(url)}")]


def _is_open_to_others(url: str) -> bool:
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname == "localhost":
        return False
    try:
        return not ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return True
