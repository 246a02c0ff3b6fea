"""Handle the buttons of an alert: who is on it, its snoozes and its details."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Concatenate, ParamSpec

from bot.blocks.builders import plain_message
from bot.digests import alert_life as life
from bot.digests.alert_card import AlertCard
from bot.digests.alert_cards import AlertCards
from bot.digests.models import Snooze
from bot.digests.repository import DigestRepository
from bot.digests.screen import DigestScreen
from bot.digests.views import alert as views
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.domains.kept_facts import FactsRepository

P = ParamSpec("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertListeners:
    """The listeners of alerts. Each press is checked: see `DigestAccess`."""

    repository: DigestRepository
    cards: AlertCards
    screen: DigestScreen
    kept_facts: FactsRepository

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.action(views.TAKE, self.take)
        dispatcher.action(views.TAKE_OVER, partial(self.take, takes_over=True))
        dispatcher.action(views.LET_GO, self.let_go)
        dispatcher.action(views.SNOOZE, self.snooze)
        dispatcher.action(views.WAKE, self.wake)
        dispatcher.action(views.DETAILS, self.show_details)
        dispatcher.action(views.EXPECTED, self.expect)
        dispatcher.action(views.SNOOZE_ALL, self.screen.in_form(self.snooze_all))
        dispatcher.action(views.WAKE_ALL, self.screen.in_form(self.wake_all))

    async def take(self, request: Request, name: str, *, takes_over: bool = False) -> None:
        user_id, now = request.origin.user_id, self.screen.clock()
        before = await self._require_visitor(request, name)
        taken = await self._change(request, name, life.take, user_id, now, takes_over=takes_over)
        if before.taken_by == user_id or taken.taken_by != user_id:
            await request.reply(plain_message(views.taken_already_text(taken, user_id)))

    async def let_go(self, request: Request, name: str) -> None:
        """Note that a person is no longer on it; of another they read who is."""
        user_id = request.origin.user_id
        before = await self._require_visitor(request, name)
        after = await self._change(request, name, life.let_go, user_id)
        if before.taken_by != user_id:
            await request.reply(plain_message(views.taken_already_text(after, user_id)))

    async def expect(self, request: Request, value: str) -> None:
        """Note that a member knew of a domain's changes: posts then call them expected."""
        name, _, place = value.rpartition("/")
        user_id, now = request.origin.user_id, self.screen.clock()
        alert = await self._require_visitor(request, name)
        fall = life.expect(alert, int(place), user_id, now).falls[int(place)]
        await self.kept_facts.expect(request.workspace, fall.host, fall.expected)
        await self._change(request, name, life.expect, int(place), user_id, now)

    async def snooze(self, request: Request, value: str) -> None:
        """Let the domains of a card be, for those who may change its digest."""
        name, _, length = value.rpartition("/")
        _, visitor = await self.screen.access.digest_to_edit(request, name.partition("/")[0])
        snooze = _snooze(visitor.editor.user_id, length, self.screen.clock())
        await self._change(request, name, life.snoozed, snooze)

    async def wake(self, request: Request, name: str) -> None:
        digest, _ = await self.screen.access.digest_to_edit(request, name.partition("/")[0])
        if digest.snooze:
            await self.screen.digests.snooze(request.workspace, digest.digest_id, None)
        await self._change(request, name, life.snoozed, None)

    async def show_details(self, request: Request, name: str) -> None:
        alert = await self._require_visitor(request, name)
        await request.reply(views.details_message(alert))

    async def snooze_all(self, request: Request, value: str) -> str:
        """Snooze a whole alert in the list; until recovered: the domains of its open cards."""
        digest_id, _, length = value.partition("/")
        digest, visitor = await self.screen.access.digest_to_edit(request, digest_id)
        snooze = _snooze(visitor.editor.user_id, length, self.screen.clock())
        if snooze.until:
            await self.screen.digests.snooze(request.workspace, digest_id, snooze)
            return views.snooze_text(snooze)
        snoozed = await self._snooze_cards(request, digest.digest_id, snooze)
        return views.snooze_text(snooze, snoozed) if snoozed else views.NOTHING_DOWN

    async def wake_all(self, request: Request, digest_id: str) -> str:
        await self.screen.access.digest_to_edit(request, digest_id)
        await self.screen.digests.snooze(request.workspace, digest_id, None)
        await self._snooze_cards(request, digest_id, None)
        return views.AWAKE

    async def _snooze_cards(
        self, request: Request, digest_id: str, snooze: Snooze | None
    ) -> list[str]:
        """Snooze the cards of an alert that are open; return their hosts. `None`: end it."""
        hosts: list[str] = []
        for name, alert in (await self.repository.cards(request.workspace, digest_id)).items():
            if alert.down or snooze is None:
                await self._change(request, name, life.snoozed, snooze)
                hosts += alert.hosts
        return hosts

    async def _require_visitor(self, request: Request, name: str) -> AlertCard:
        alert = await self.repository.card(request.workspace, name)
        await self.screen.access.require_visitor(request, alert.channel_id)
        return alert

    async def _change(
        self,
        request: Request,
        name: str,
        change: Callable[Concatenate[AlertCard, P], AlertCard],
        *args: P.args,
        **more: P.kwargs,
    ) -> AlertCard:
        """Change an alert, and draw its card. A press on a card says where that is."""
        ts = str((request.message or {}).get("ts") or "")

        def changed(alert: AlertCard) -> AlertCard:
            after = replace(change(alert, *args, **more), ts=alert.ts or ts)
            return life.touched(after, self.screen.clock())

        after = await self.repository.change_card(request.workspace, name, changed)
        await self.cards.show(request.workspace, name)
        return after


def _snooze(user_id: str, length: str, now: datetime) -> Snooze:
    _, lasts = views.LENGTHS[length]
    return Snooze(by=user_id, until=now + lasts if lasts else None)
