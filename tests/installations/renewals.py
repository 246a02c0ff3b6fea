"""Installations with tokens of a given value, and a Slack that renews them."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from bot.installations.models import Installation, Tokens
from bot.installations.repository import (
    InstallationRepository,
    RecentInstallations,
    StoredInstallation,
)
from bot.slack.auth import IssuedTokens
from bot.slack.errors import TokenRefusedError
from bot.store.documents import Documents
from bot.workspace import WorkspaceId
from tests.installations import builders
from tests.installations.builders import RING

ONE = builders.ACME
LIFE = timedelta(hours=12)


def an_installation(
    home: WorkspaceId = ONE,
    token: str = "xoxb-first",
    *,
    refresh: str | None = None,
    expires_at: datetime | None = None,
    **fields: Any,
) -> Installation:
    tokens = Tokens(access=token, refresh=refresh, expires_at=expires_at)
    return builders.an_installation(home, **({"tokens": tokens} | fields))


def a_shelf(documents: Documents) -> InstallationRepository:
    return InstallationRepository(documents, RING)


def a_memory(documents: Documents, clock_s: Callable[[], float]) -> RecentInstallations:
    return RecentInstallations(a_shelf(documents), clock_s=clock_s)


async def kept(documents: Documents, home: WorkspaceId = ONE) -> StoredInstallation:
    found = await a_shelf(documents).get(home)
    assert found
    return found


class Renewals:
    """A Slack that takes each refresh token once; remembers what it was asked.

    `error` meets the next question; `is_lost`: what was asked for has happened all the same.
    `life`: how long a token is good for, `None` for ever.
    """

    def __init__(self, first: str = "xoxe-1-0") -> None:
        self.current = first
        self.asked: list[str] = []
        self.error: Exception | None = None
        self.is_lost = False
        self.life: timedelta | None = LIFE
        self.before_answer: Callable[[], Awaitable[object]] | None = None

    async def refresh(self, refresh_token: str) -> IssuedTokens:
        self.asked.append(refresh_token)
        error, self.error = self.error, None
        if error and not self.is_lost:
            raise error
        if refresh_token != self.current:
            raise TokenRefusedError("invalid_refresh_token")
        number = len(self.asked)
        self.current = f"xoxe-1-{number}"
        await asyncio.sleep(0)
        if self.before_answer:
            await self.before_answer()
        if error:
            raise error
        return IssuedTokens(
            access=f"xoxe.xoxb-{number}",
            refresh=self.current,
            expires_in_s=None if self.life is None else int(self.life.total_seconds()),
        )
