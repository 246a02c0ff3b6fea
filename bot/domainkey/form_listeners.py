"""Handle the forms that set and rotate the API key, and go on after a key was saved."""

import secrets
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from bot.access.permissions import Permissions
from bot.blocks.builders import plain_message
from bot.blocks.message import Message
from bot.blocks.text import duration_text
from bot.digests.access import is_channel
from bot.digests.service import DigestService
from bot.dispatch.command_lines import CommandLines
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.kept_commands import KeptCommands
from bot.dispatch.request import Request, draw_or_reply
from bot.dispatch.router import Dispatcher
from bot.domainkey import form_views as forms
from bot.domainkey.service import KeyService
from bot.domainkey.views import first_steps_message, works_message, works_text
from bot.keys.errors import LIMIT_REACHED, REFUSED_KEY
from bot.keys.key_record import (
    ExpiredDraftError,
    KeyDraft,
    KeyNotHeldError,
    KeyPair,
    OtherPortfolioError,
)
from bot.keys.views import SET_KEY
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.errors import BotError, NotAllowedError, log_and_suppress
from bot.scans.nightly import NightlySetting
from bot.slack.client import Member
from bot.slack.errors import SlackError
from bot.store.documents import StoreError
from bot.tracker.models import InsufficientPermissionsError, InvalidKeyError, RateLimitedError

# A key that was entered, and fails with one of these, has to be entered again.
_OF_NO_USE = (ExpiredDraftError, InsufficientPermissionsError, InvalidKeyError, KeyNotHeldError)
_CLOSED = Message("That form is closed.")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFormListeners:
    """The listeners that set the key and rotate it. Each checks the person's rights again."""

    permissions: Permissions
    key_service: KeyService
    tracker: WorkspaceTracker
    nightly_setting: NightlySetting
    kept_commands: KeptCommands
    lines: CommandLines
    digests: DigestService
    explain: ExplainFailure

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.action(SET_KEY, self.open_key_form)
        checking = partial(forms.key_paragraph, forms.CHECKING)
        dispatcher.view(forms.KEY_FORM, forms.read_key_form, self.set_key, busy=checking)
        dispatcher.action(forms.USE_KEY, self.use_key, once=True, in_form=True)
        dispatcher.action(forms.NEXT_STEP, self.second_step, in_form=True)
        dispatcher.action(forms.UNUSED, self.third_step, in_form=True)
        dispatcher.action(forms.DELETED_IT, self.finish, in_form=True)

    async def open_key_form(self, request: Request, _value: str) -> None:
        """Open the form for a key: the first of three steps if it takes another one's place."""
        await self.permissions.require_configurer(request)
        keys = self.key_service.keys
        pair = await keys.pair(request.workspace)
        values = forms.proposed(pair.record, keys.clock()) if pair else forms.KeyFormValues()
        await request.open_form(forms.key_form(request.as_metadata(), values, in_use=pair))

    async def set_key(self, request: Request, given: tuple[str, forms.KeyFormValues]) -> None:
        """Check the key with one request, save it, run the kept commands."""
        secret, values = given
        draft = forms.draft_of(secret, values, self.key_service.keys.clock().date())
        await self._save(request, draft, values)

    async def use_key(self, request: Request, _value: str) -> None:
        await draw_or_reply(request, forms.key_paragraph(forms.CHECKING), None)
        await self._save(request, None, forms.KeyFormValues())

    async def second_step(self, request: Request, mark: str) -> None:
        """Show the second step of a replacement that was left there."""
        await self.permissions.require_configurer(request)
        pair = await self.key_service.keys.present(request.workspace)
        metadata = request.as_metadata()
        form = forms.second_step(pair.record, pair.earlier_of(mark), None, metadata)
        await draw_or_reply(request, form, _CLOSED)

    async def third_step(self, request: Request, mark: str) -> None:
        await self.permissions.require_configurer(request)
        pair = await self.key_service.keys.present(request.workspace)
        form = forms.third_step(pair.earlier_of(mark), request.as_metadata())
        await draw_or_reply(request, form, _CLOSED)

    async def finish(self, request: Request, mark: str) -> None:
        """Delete the earlier key here: it was deleted in the service."""
        by = (await self.permissions.require_configurer(request)).user_id
        record = await self.key_service.finish(request.workspace, mark, by=by)
        await draw_or_reply(request, forms.finished(record), _CLOSED)

    async def _save(
        self, request: Request, draft: KeyDraft | None, values: forms.KeyFormValues
    ) -> None:
        """Check and save a key, and show what comes next, or why it was not saved.

        Without a `draft` it is the key that the person entered just now.
        """
        workspace, metadata = request.workspace, request.as_metadata()
        try:
            member = await self.permissions.require_configurer(request)
            by = member.user_id
            if draft:
                pair, domains = await self.key_service.set_key(workspace, draft, by=by)
            else:
                pair, domains = await self.key_service.confirm(workspace, by=by)
        except NotAllowedError:
            raise
        except BotError as error:
            why = await self._why(request, error)
            if isinstance(error, OtherPortfolioError):
                await draw_or_reply(request, *forms.use_key_question(f"⚠️ {why}", metadata))
            elif draft or isinstance(error, _OF_NO_USE):
                await self._ask_for_another(request, values, why)
            else:
                again = f"⚠️ *The key was not saved.* {why} You need not enter it again."
                await draw_or_reply(request, *forms.use_key_question(again, metadata))
        else:
            await self._go_on(request, pair, domains, member)

    async def _why(self, request: Request, error: BotError) -> str:
        """Return why an entered key was not saved: it is not the one in use."""
        if isinstance(error, InvalidKeyError):
            return REFUSED_KEY
        if isinstance(error, RateLimitedError):
            return f"{LIMIT_REACHED} Try again in {duration_text(error.retry_after_s)}."
        return (await self.explain(error, request)).text

    async def _ask_for_another(
        self, request: Request, values: forms.KeyFormValues, why: str
    ) -> None:
        pair = None
        with suppress(BotError):
            pair = await self.key_service.keys.pair(request.workspace)
        form = forms.key_form(request.as_metadata(), values, why, in_use=pair)
        await draw_or_reply(request, form, plain_message(f"The key was not saved. {why}"))

    async def _go_on(self, request: Request, pair: KeyPair, domains: int, member: Member) -> None:
        """Show `member`, who saved a key, the next step, and go on with what waits for one."""
        workspace, record, earlier = request.workspace, pair.record, pair.earlier
        saved: Message | None = works_message(record, domains)
        form = forms.key_paragraph(f"{works_text(record, domains)} Try `/domains`.")
        if earlier:
            form = forms.second_step(record, earlier, domains, request.as_metadata())
        with log_and_suppress("no first steps", StoreError, SlackError):  # the key is saved
            if await self.nightly_setting.begin(workspace, member.zone) and not earlier:
                allowance = await self.tracker.allowance(workspace)
                digest_id = secrets.token_hex(6) if is_channel(request.origin.channel_id) else ""
                await request.reply(
                    first_steps_message(record, domains, allowance, digest_id=digest_id)
                )
                saved = None
        await draw_or_reply(request, form, saved)
        self.lines.run_kept(
            workspace, request.client, await self.kept_commands.take_all(workspace)
        )
        await self.digests.retry_waiting(workspace)
