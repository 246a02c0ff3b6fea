"""The ways from a local Slack to the app."""

import asyncio
from collections.abc import Iterable
from typing import Any

import aiohttp

from bot.playground.slack.delivery import Outbox
from bot.playground.slack.realm import Realm
from bot.playground.slack.sockets import Sockets

Json = dict[str, Any]


class Lines:
    """All that leads from a local Slack to the app. `request_url` is empty until it is known."""

    def __init__(self, realm: Realm, sockets: Sockets, session: aiohttp.ClientSession) -> None:
        self.realm = realm
        self.sockets = sockets
        self.session = session
        self.outbox = Outbox(sockets, realm.app.settings.answers_within_s)
        self.request_url = ""
        self._errands: set[asyncio.Task[None]] = set()
        realm.app.announce = self._announce

    async def close(self) -> None:
        """End every link, and whatever is still to be told."""
        for errand in list(self._errands):
            errand.cancel()
        await asyncio.gather(*self._errands, return_exceptions=True)
        await self.sockets.close()

    def _announce(self, payloads: Iterable[Json]) -> None:
        errand = asyncio.create_task(self._tell(list(payloads)))
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)

    async def _tell(self, payloads: list[Json]) -> None:
        for payload in payloads:
            await self.outbox.deliver_event(payload)
            self.realm.bell.ring()
