"""Handle `/domainkey`: the API key's state and history."""

from dataclasses import dataclass

from bot.access import views as admin
from bot.access.permissions import Permissions
from bot.access.repository import Audit
from bot.digests.service import DigestService
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.domainkey import views
from bot.domainkey.service import KeyService
from bot.domainkey.state import KeyState
from bot.keys.views import CHECK_KEY


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyListeners:
    """The listeners about the key and its history. Each checks the person's rights again."""

    permissions: Permissions
    key_service: KeyService
    state: KeyState
    digests: DigestService
    audit: Audit

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.command("/domainkey", self.show_state)
        dispatcher.action(CHECK_KEY, self.check_key, replies=True)
        dispatcher.action(views.ROLL_BACK, self.roll_back, replies=True)
        dispatcher.action(views.REMOVE_KEY, self.remove_key, replies=True)
        dispatcher.action(views.SHOW_HISTORY, self.show_history)

    async def show_state(self, request: Request, text: str) -> None:
        """Answer `/domainkey`. Text after the command is neither read nor repeated."""
        request.answer.retry_line = "/domainkey"
        if text.strip():
            await request.reply(views.TYPED_KEY)
        else:
            member = await self.permissions.require_configurer(request)
            state = await self.state.message_for(member, request.workspace)
            await request.reply(state)

    async def check_key(self, request: Request, _value: str) -> None:
        """Ask the service whether the key works now, even if it was refused before."""
        await self.permissions.require_configurer(request)
        request.answer.retry_line = "/domainkey"
        check = await self.key_service.check(request.workspace)
        await request.reply(views.checked_message(check.record, check.domains))
        await self.digests.retry_waiting(request.workspace)

    async def roll_back(self, request: Request, mark: str) -> None:
        """Use the old key again, if it still works."""
        member = await self.permissions.require_configurer(request)
        request.answer.retry_line = "/domainkey"
        check = await self.key_service.roll_back(request.workspace, mark, by=member.user_id)
        await request.reply(views.rolled_back_message(check.record, check.domains))
        await self.digests.retry_waiting(request.workspace)

    async def remove_key(self, request: Request, mark: str) -> None:
        """Delete the key and the previous one."""
        member = await self.permissions.require_configurer(request)
        await self.key_service.remove(request.workspace, mark, by=member.user_id)
        await request.reply(views.REMOVED)

    async def show_history(self, request: Request, _value: str) -> None:
        await self.permissions.require_configurer(request)
        entries = await self.audit.entries(request.workspace)
        await request.open_form(admin.history_form(entries))
