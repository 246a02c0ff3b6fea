"""Moments as the pages show them. The playground's own clock is in UTC, and so are they."""

from datetime import UTC, datetime


def moment_text(moment: datetime) -> str:
    """Return `9 Mar 2026, 14:05 UTC`."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M} UTC"


def time_text(moment: datetime) -> str:
    """Return `9 Mar, 14:05:09`, for lists in which seconds matter."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%b, %H:%M:%S}"
