"""Handle the forms that set and rotate the API key."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from bot.access.permissions import Permissions
from bot.blocks.message import Block
from bot.dispatch.request import Request, draw_or_reply
from bot.dispatch.router import Dispatcher
from bot.dispatch.usage import ALREADY_PRESSED
from bot.domainkey import form_views as forms
from bot.domainkey.first_steps import FirstSteps
from bot.domainkey.key_form import GivenKey, read_key_form
from bot.domainkey.screen import KeyScreen
from bot.domainkey.service import KeyService
from bot.keys.key_record import (
    ExpiredDraftError,
    KeyDraft,
    KeyNotKeptError,
    OtherPortfolioError,
)
from bot.keys.repository import Keys
from bot.keys.views import SET_KEY
from bot.process.errors import BotError, NotAllowedError
from bot.tracker.models import InsufficientPermissionsError, InvalidKeyError

# A key that was entered, and fails with one of these, has to be entered again.
_OF_NO_USE = (
    ExpiredDraftError,
    InsufficientPermissionsError,
    InvalidKeyError,
    KeyNotKeptError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFormListeners:
    """The listeners that set the key and rotate it. Each checks the person's rights again."""

    permissions: Permissions
    keys: Keys
    key_service: KeyService
    first_steps: FirstSteps
    screen: KeyScreen

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.action(SET_KEY, self.open_key_form)
        checking = partial(forms.key_paragraph, forms.CHECKING)
        dispatcher.view(forms.KEY_FORM, read_key_form, self.set_key, busy=checking)
        dispatcher.action(forms.USE_KEY, self.use_key, once=ALREADY_PRESSED)
        steps = {
            forms.NEXT_STEP: self.second_step,
            forms.UNUSED: self.third_step,
            forms.DELETED_IT: self.finish,
        }
        for action_id, step in steps.items():
            dispatcher.action(action_id, self.screen.in_form(step))

    async def open_key_form(self, request: Request, _value: str) -> None:
        """Open the form for a key: the first of three steps if it takes another one's place."""
        await self.permissions.require_configurer(request)
        pair = await self.keys.pair(request.workspace)
        values = forms.proposed(pair.record, self.keys.clock()) if pair else forms.KeyFormValues()
        await request.open_form(forms.key_form(request.as_metadata(), values, in_use=pair))

    async def set_key(self, request: Request, given: GivenKey) -> None:
        """Check the key with one request, save it, run the kept commands."""
        await self._save(request, given.draft(self.keys.clock().date()), given.values)

    async def use_key(self, request: Request, _value: str) -> None:
        """Save the key that was entered just now, though it is of another portfolio."""
        if request.answer.view_id:
            await draw_or_reply(request, forms.key_paragraph(forms.CHECKING), None)
        await self._save(request, None, forms.KeyFormValues())

    async def second_step(self, request: Request, mark: str) -> Block:
        """Return the second step of a replacement that was left there."""
        await self.permissions.require_configurer(request)
        record, earlier = await self.key_service.replacement(request.workspace, mark)
        return forms.second_step(record, earlier, None, request.as_metadata())

    async def third_step(self, request: Request, mark: str) -> Block:
        """Return the third step: the earlier key is deleted in the service."""
        await self.permissions.require_configurer(request)
        _, earlier = await self.key_service.replacement(request.workspace, mark)
        return forms.third_step(earlier, request.as_metadata())

    async def finish(self, request: Request, mark: str) -> Block:
        """Delete the earlier key here: it was deleted in the service."""
        by = (await self.permissions.require_configurer(request)).user_id
        return forms.finished(await self.key_service.finish(request.workspace, mark, by=by))

    async def _save(
        self, request: Request, draft: KeyDraft | None, values: forms.KeyFormValues
    ) -> None:
        """Check and save a key, and show what comes next, or why it was not saved.

        Without a `draft` it is the key that the person entered just now.
        """
        workspace = request.workspace
        try:
            member = await self.permissions.require_configurer(request)
            by = member.user_id
            if draft:
                check = await self.key_service.set_key(workspace, draft, by=by)
            else:
                check = await self.key_service.confirm(workspace, by=by)
        except NotAllowedError as error:
            await self.screen.show_failure(request, error, forms.key_paragraph)
        except OtherPortfolioError as error:
            form = forms.other_portfolio_form(error, request.as_metadata())
            await draw_or_reply(request, form, forms.other_portfolio_message(error))
        except BotError as error:
            why = (await self.screen.explained(request, error)).text
            if draft or isinstance(error, _OF_NO_USE):
                await self._ask_for_another(request, values, why)
            else:
                form = forms.not_confirmed_form(why, request.as_metadata())
                await draw_or_reply(request, form, forms.not_confirmed_message(why))
        else:
            await self.first_steps.show(request, check, member)

    async def _ask_for_another(
        self, request: Request, values: forms.KeyFormValues, why: str
    ) -> None:
        """Show the form for a key again, and why the entered one was not saved."""
        pair = None
        with suppress(BotError):
            pair = await self.keys.pair(request.workspace)
        form = forms.key_form(request.as_metadata(), values, why, in_use=pair)
        await draw_or_reply(request, form, forms.not_saved_message(why))
