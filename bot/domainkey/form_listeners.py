"""Handle the forms that set and rotate the API key."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from bot.access.permissions import Permissions
from bot.blocks.builders import button, cancel_button, plain_message, section
from bot.blocks.message import Block, Message
from bot.blocks.text import day_text
from bot.digests.access import is_channel
from bot.digests.service import DigestService
from bot.dispatch.command_lines import CommandLines
from bot.dispatch.deferred_commands import DeferredCommands
from bot.dispatch.request import FormErrors, Request, draw_or_reply
from bot.dispatch.router import Dispatcher
from bot.domainkey import form_views as forms
from bot.domainkey.screen import KeyScreen
from bot.domainkey.service import KeyCheck, KeyService
from bot.domainkey.views import first_steps_message, saved_message
from bot.keys.budget import QuotaService
from bot.keys.errors import other_portfolio_text
from bot.keys.key_pair import KeyPair, PreviousKey
from bot.keys.key_record import (
    SCOPES,
    KeyDraft,
    NoEarlierKeyError,
    NoKeyError,
    OtherPortfolioError,
    checked_secret,
)
from bot.keys.repository import Keys
from bot.keys.views import PROPOSED_LABEL, SET_KEY
from bot.process.errors import BotError, NotAllowedError, log_and_suppress
from bot.process.redaction import holds_secret
from bot.scans.nightly import NightlySetting
from bot.slack.errors import SlackError
from bot.store.documents import StoreError


@dataclass(frozen=True, slots=True)
class GivenKey:
    """A valid key, and the other values of the form."""

    secret: str = field(repr=False)
    values: forms.KeyFormValues

    def draft(self, today: date) -> KeyDraft:
        """Return the key; its expiration is counted from `today`."""
        expiry, day = self.values.expiry, self.values.expiry_day
        expires_on = date.fromisoformat(day) if expiry == "date" and day else None
        if expiry.isdecimal():
            expires_on = today + timedelta(days=int(expiry))
        return KeyDraft(
            secret=self.secret,
            label=self.values.label,
            expires_on=expires_on,
            scopes=tuple(scope for scope in SCOPES if scope in self.values.scopes),
        )


def read_key_form(values: Mapping[str, Any]) -> GivenKey:
    """Return the values of the form; raise FormErrors, which never repeat the typed text."""
    typed = values[forms.SECRET_BLOCK][forms.SECRET_FIELD].get("value") or ""
    label = (values[forms.LABEL_BLOCK][forms.LABEL_FIELD].get("value") or "").strip()
    expiry = values[forms.EXPIRY_BLOCK][forms.EXPIRY_FIELD]["selected_option"]["value"]
    day = values[forms.EXPIRY_DAY_BLOCK][forms.EXPIRY_DAY_FIELD].get("selected_date")
    chosen = values[forms.SCOPES_BLOCK][forms.SCOPES_FIELD].get("selected_options") or []
    label = label or PROPOSED_LABEL
    errors: dict[str, str] = {}
    try:
        secret = checked_secret(typed)
    except ValueError:
        secret = ""
        errors[forms.SECRET_BLOCK] = "A key has 52 characters and begins with service_sk_."
    if holds_secret(label):
        errors[forms.LABEL_BLOCK] = "This is the key's name, never the key itself."
    if expiry == "date" and not day:
        errors[forms.EXPIRY_DAY_BLOCK] = "Please pick the date."
    if errors:
        raise FormErrors(errors)
    scopes = tuple(option["value"] for option in chosen)
    return GivenKey(
        secret, forms.KeyFormValues(label=label, expiry=expiry, expiry_day=day, scopes=scopes)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFormListeners:
    """The listeners that set the key and rotate it. Each checks the person's rights again.

    After the first key of a workspace they offer to scan all domains, and to make a digest.
    """

    permissions: Permissions
    keys: Keys
    key_service: KeyService
    allowances: QuotaService
    nights: NightlySetting
    deferred: DeferredCommands
    lines: CommandLines
    digests: DigestService
    screen: KeyScreen
    clock: Callable[[], datetime]

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.action(SET_KEY, self.open_key_form)
        checking = partial(forms.refused_form, forms.CHECKING)
        dispatcher.view(forms.KEY_FORM, read_key_form, self.set_key, busy=checking)
        dispatcher.action(forms.USE_KEY, self.use_key)
        steps = {
            forms.NEXT_STEP: self.second_step,
            forms.STANDS_STILL: self.third_step,
            forms.DELETED_IT: self.finish,
        }
        for action_id, step in steps.items():
            dispatcher.action(action_id, self.screen.in_form(step, forms.refused_form))

    async def open_key_form(self, request: Request, _value: str) -> None:
        """Open the form for a key: the first of three steps if it takes another one's place."""
        await self.permissions.require_configurer(request)
        pair = await self.keys.pair(request.workspace)
        values = self._proposed(pair) if pair else forms.KeyFormValues()
        await request.open_form(forms.key_form(request.as_metadata(), values, in_use=pair))

    async def set_key(self, request: Request, given: GivenKey) -> None:
        """Check the key with one request, save it, run the deferred commands."""
        draft = given.draft(self.clock().date())

        async def save(by: str) -> KeyCheck:
            return await self.key_service.set_key(request.workspace, draft, by=by)

        await self._save(request, save, given.values)

    async def use_key(self, request: Request, _value: str) -> None:
        """Save the key that was entered just now, though it is of another portfolio."""

        async def save(by: str) -> KeyCheck:
            return await self.key_service.confirm(request.workspace, by=by)

        await self._save(request, save, forms.KeyFormValues())

    async def _show_saved(self, request: Request, check: KeyCheck) -> None:
        """Show the next step after a key was saved, and go on with what waits for one."""
        earlier, saved = check.pair.earlier, saved_message(check.record, check.domains)
        if earlier:
            metadata = request.as_metadata()
            form = forms.second_step(check.record, earlier, check.domains, metadata)
        else:
            form = forms.saved_form(check.record, check.domains)
        is_told = await self._offer_first_steps(request, check)
        await draw_or_reply(request, form, None if is_told else saved)
        await self._run_deferred(request)

    async def _offer_first_steps(self, request: Request, check: KeyCheck) -> bool:
        """Begin nightly scans; after the first key say what to do next, and return `True`."""
        with log_and_suppress(
            "no first steps", StoreError, SlackError
        ):  # the key is saved, anyway
            zone = (await request.fetch_member()).zone
            is_new = await self.nights.begin(request.workspace, zone)
            if not is_new or check.pair.earlier:
                return False
            allowance = await self.allowances.of(request.workspace)
            nonce = secrets.token_hex(6) if is_channel(request.origin.channel_id) else ""
            await request.reply(
                first_steps_message(check.record, check.domains, allowance, nonce=nonce)
            )
            return True
        return False

    async def second_step(self, request: Request, mark: str) -> Block:
        """Return the second step of a replacement that was left there."""
        pair = await self._pair(request)
        return forms.second_step(pair.record, _earlier(pair, mark), None, request.as_metadata())

    async def third_step(self, request: Request, mark: str) -> Block:
        """Return the third step: the old key is deleted in the service."""
        earlier = _earlier(await self._pair(request), mark)
        return forms.third_step(earlier, request.as_metadata())

    async def finish(self, request: Request, mark: str) -> Block:
        """Delete the old key here: it was deleted in the service."""
        pair, by = await self._pair(request), request.origin.user_id
        await self.key_service.forget_earlier(request.workspace, mark, by=by)
        return forms.finished(pair.record)

    async def _save(
        self,
        request: Request,
        save: Callable[[str], Awaitable[KeyCheck]],
        values: forms.KeyFormValues,
    ) -> None:
        """Check and save a key, and show what comes next, or why it was not saved."""
        try:
            member = await self.permissions.require_configurer(request)
            check = await save(member.user_id)
        except NotAllowedError as error:
            await self.screen.show_failure(request, error, forms.refused_form)
        except OtherPortfolioError as error:
            text = other_portfolio_text(error)
            form = forms.other_portfolio_form(text, request.as_metadata())
            use = button("Use this key", forms.USE_KEY)
            await draw_or_reply(request, form, plain_message(f"⚠️ {text}", use, cancel_button()))
        except BotError as error:
            sentence = (await self.screen.explained(request, error)).text
            pair = None
            with suppress(StoreError):
                pair = await self.keys.pair(request.workspace)
            form = forms.key_form(request.as_metadata(), values, sentence, in_use=pair)
            text = f"The key was not saved. {sentence}"
            await draw_or_reply(request, form, Message(text, (section(text),)))
        else:
            await self._show_saved(request, check)

    async def _run_deferred(self, request: Request) -> None:
        workspace = request.workspace
        kept = await self.deferred.take_all(workspace)
        self.lines.run_kept(workspace, request.client, kept)
        await self.digests.retry_waiting(workspace)

    def _proposed(self, pair: KeyPair) -> forms.KeyFormValues:
        # With the day: of two keys of one name the wrong one could be deleted.
        label = f"{PROPOSED_LABEL}, {day_text(self.clock().date())}"
        return forms.KeyFormValues(label=label, scopes=pair.record.scopes)

    async def _pair(self, request: Request) -> KeyPair:
        """Return the keys, for those who may manage them; raise NoKeyError."""
        await self.permissions.require_configurer(request)
        pair = await self.keys.pair(request.workspace)
        if pair is None:
            raise NoKeyError("removed in between")
        return pair


def _earlier(pair: KeyPair, mark: str) -> PreviousKey:
    if pair.earlier is None or pair.earlier.record.mark != mark:
        raise NoEarlierKeyError("another key than the form is about")
    return pair.earlier
