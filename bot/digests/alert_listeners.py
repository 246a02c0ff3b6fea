"""Handle the buttons of an alert: `Take it` and `Snooze`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.blocks.builders import plain_message
from bot.digests.models import Alert
from bot.digests.repository import DigestRepository
from bot.digests.screen import DigestScreen
from bot.digests.views import alert as views
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.slack.client import SentMessage, edit_message


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertListeners:
    """The listeners of alerts. Each press is checked: see `DigestAccess`."""

    alerts: DigestRepository
    screen: DigestScreen

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.action(views.TAKE, self.take)
        dispatcher.action(views.SNOOZE, self.snooze)

    async def take(self, request: Request, name: str) -> None:
        """Note who takes an alert: the first member of the channel who presses."""
        user_id = request.origin.user_id
        before = await self.alerts.alert(request.workspace, name)
        await self.screen.access.require_visitor(request, before.channel_id)
        taken = await self._change(
            request, name, lambda alert: replace(alert, taken_by=alert.taken_by or user_id)
        )
        if taken.taken_by != user_id:
            await request.reply(plain_message(views.taken_already_text(taken)))

    async def snooze(self, request: Request, name: str) -> None:
        """Let the domains of an alert be for seven days; for those who may change its digest."""
        _, visitor = await self.screen.access.digest_to_edit(request, name.partition("/")[0])
        until = self.screen.clock() + timedelta(days=views.SNOOZE_DAYS)

        def snoozed(alert: Alert) -> Alert:
            if alert.snoozed_until:
                return alert
            return replace(alert, snoozed_by=visitor.editor.user_id, snoozed_until=until)

        after = await self._change(request, name, snoozed)
        if after.snoozed_until != until:
            await request.reply(plain_message(views.snoozed_already_text(after)))

    async def _change(
        self, request: Request, name: str, change: Callable[[Alert], Alert]
    ) -> Alert:
        """Change an alert and draw its post; again if another press came in between."""
        changed = drawn = await self.alerts.change_alert(request.workspace, name, change)
        while request.message and (channel_id := request.origin.channel_id):
            place = SentMessage(channel_id, str(request.message.get("ts") or ""))
            message = views.redrawn(request.message, name, drawn)
            await edit_message(request.client, place, message.as_args())
            present = await self.alerts.alert(request.workspace, name)
            if present == drawn:
                break
            drawn = present
        return changed
