"""Handle the forms that set and rotate the API key."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from bot.api_keys.models import (
    SCOPES,
    KeyDraft,
    KeyFormError,
    KeyPair,
    NoEarlierKeyError,
    NoKeyError,
    PreviousKey,
    checked_secret,
)
from bot.api_keys.repository import Keys
from bot.api_keys.service import KeyCheck, KeyService
from bot.digests.service import DigestService
from bot.errors import BotError, NotAllowedError
from bot.listeners.modals import KeyScreen
from bot.listeners.permissions import Permissions
from bot.listeners.request import FormErrors, Request
from bot.listeners.router import Dispatcher, KeptRuns
from bot.message import Block, Message
from bot.redaction import holds_secret
from bot.slack.client import open_form
from bot.store.documents import StoreError
from bot.views.api_key import PROPOSED_LABEL, ROTATE_KEY, SET_KEY, proposed_label, saved_message
from bot.views.api_key_forms import (
    DELETED_IT,
    EXPIRY_BLOCK,
    EXPIRY_DAY_BLOCK,
    EXPIRY_DAY_FIELD,
    EXPIRY_FIELD,
    GO_ON,
    KEY_FORM,
    LABEL_BLOCK,
    LABEL_FIELD,
    MADE_IT,
    ROTATION_FORM,
    SCOPES_BLOCK,
    SCOPES_FIELD,
    SECRET_BLOCK,
    SECRET_FIELD,
    STANDS_STILL,
    KeyFormValues,
    checking_form,
    checking_step,
    finished,
    first_step,
    fourth_step,
    interrupted,
    key_form,
    refused_form,
    saved_form,
    second_step,
    third_step,
)
from bot.views.blocks import section


@dataclass(frozen=True, slots=True)
class GivenKey:
    """A key whose form is right, and everything else as it was filled in."""

    secret: str = field(repr=False)
    values: KeyFormValues

    def draft(self, today: date) -> KeyDraft:
        """Return the key with its expiration counted from `today`."""
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
    """Return what was filled in; raise FormErrors where it cannot be taken.

    No sentence repeats anything that was typed.
    """
    typed = values[SECRET_BLOCK][SECRET_FIELD].get("value") or ""
    label = (values[LABEL_BLOCK][LABEL_FIELD].get("value") or "").strip() or PROPOSED_LABEL
    expiry = values[EXPIRY_BLOCK][EXPIRY_FIELD]["selected_option"]["value"]
    day = values[EXPIRY_DAY_BLOCK][EXPIRY_DAY_FIELD].get("selected_date")
    chosen = values[SCOPES_BLOCK][SCOPES_FIELD].get("selected_options") or []
    errors: dict[str, str] = {}
    try:
        secret = checked_secret(typed)
    except KeyFormError:
        secret = ""
        errors[SECRET_BLOCK] = "A key has 52 characters and begins with service_sk_."
    if holds_secret(label):
        errors[LABEL_BLOCK] = "This is the key's name, never the key itself."
    if expiry == "date" and not day:
        errors[EXPIRY_DAY_BLOCK] = "Please pick the date."
    if errors:
        raise FormErrors(errors)
    scopes = tuple(option["value"] for option in chosen)
    return GivenKey(
        secret, KeyFormValues(label=label, expiry=expiry, expiry_day=day, scopes=scopes)
    )


# The form again: its metadata, what was filled in, why it was not saved, the keys there are.
Draw = Callable[[str, KeyFormValues, str | None, KeyPair | None], Block]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTaking:
    """What setting a key and rotating it have in common."""

    rights: Permissions
    keys: Keys
    custody: KeyService
    kept: KeptRuns
    desk: DigestService
    screen: KeyScreen
    clock: Callable[[], datetime]

    async def take(
        self,
        conversation: Request,
        given: GivenKey,
        draw: Draw,
        *,
        is_rotation: bool = False,
    ) -> KeyCheck | None:
        """Set a key; `None`: it was not, and the person was told why."""
        try:
            member = await self.rights.require_configurer(conversation)
            return await self.custody.set_key(
                conversation.workspace,
                given.draft(self.clock().date()),
                by=member.user_id,
                is_rotation=is_rotation,
            )
        except NotAllowedError as error:
            await self.screen.show_failure(conversation, error, refused_form)
        except BotError as error:
            sentence = (await self.screen.explained(conversation, error)).text
            in_use = await self._known_slots(conversation)
            form = draw(conversation.as_metadata(), given.values, sentence, in_use)
            told = f"The key was not saved. {sentence}"
            await self.screen.show(conversation, form, Message(told, (section(told),)))
        return None

    async def run_waiting(self, conversation: Request) -> None:
        """Run what waited for a key."""
        await self.kept.run_all(conversation.workspace, conversation.client)
        await self.desk.retry_waiting(conversation.workspace)

    async def _known_slots(self, conversation: Request) -> KeyPair | None:
        """The keys there are, as far as the store says: why one was not saved is said anyway."""
        try:
            return await self.keys.slots(conversation.workspace)
        except StoreError:
            return None


def values_of(slots: KeyPair | None, today: date) -> KeyFormValues:
    """Return what the form proposes: the same as for the key in use, under another name."""
    if slots is None:
        return KeyFormValues()
    return KeyFormValues(label=proposed_label(slots, today), scopes=slots.record.scopes)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySettingListeners:
    """The listeners of the form. Each of them checks the person's rights anew."""

    taking: KeyTaking

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(SET_KEY, self.open_key_form)
        dispatcher.on_form(KEY_FORM, read_key_form, self.set_key, meanwhile=checking_form)

    async def open_key_form(self, conversation: Request, _value: str) -> None:
        """Open the private form that sets or replaces the key."""
        await self.taking.rights.require_configurer(conversation)
        slots = await self.taking.keys.slots(conversation.workspace)
        values = values_of(slots, self.taking.clock().date())
        form = key_form(conversation.as_metadata(), values, in_use=slots)
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def set_key(self, conversation: Request, given: GivenKey) -> None:
        """Prove the key with one request, save it, run what waited for it; say so in the form."""
        tried = await self.taking.take(conversation, given, key_form)
        if tried is None:
            return
        record, domains = tried.record, tried.domains
        form = saved_form(record, domains, tried.slots.earlier)
        await self.taking.screen.show(conversation, form, saved_message(record, domains))
        await self.taking.run_waiting(conversation)


@dataclass(frozen=True, slots=True, kw_only=True)
class RotationListeners:
    """The listeners of the form. Each of them checks the person's rights anew."""

    taking: KeyTaking

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(ROTATE_KEY, self.open_rotation)
        dispatcher.on_press(MADE_IT, self.ask_for_key)
        dispatcher.on_form(ROTATION_FORM, read_key_form, self.swap, meanwhile=checking_step)
        dispatcher.on_press(GO_ON, self.go_on)
        dispatcher.on_press(STANDS_STILL, self.ask_to_delete)
        dispatcher.on_press(DELETED_IT, self.finish)

    async def open_rotation(self, conversation: Request, _value: str) -> None:
        """Open the form that leads through the rotation of the key."""
        await self.taking.rights.require_configurer(conversation)
        slots = await self._slots(conversation)
        form = first_step(slots, self._values(slots).label, conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def ask_for_key(self, conversation: Request, _value: str) -> None:
        """Show the second step: the new key goes in."""

        async def form() -> Block:
            slots = await self._slots(conversation)
            return second_step(conversation.as_metadata(), self._values(slots), None, slots)

        await self._redraw(conversation, form)

    async def swap(self, conversation: Request, given: GivenKey) -> None:
        """Prove the new key, use it at once, and show the third step."""
        tried = await self.taking.take(conversation, given, second_step, is_rotation=True)
        if tried is None:
            return
        saved = saved_message(tried.record, tried.domains)
        if tried.slots.earlier is None:  # it was removed meanwhile: there is no old one to delete
            await self.taking.screen.show(conversation, interrupted(saved.text), saved)
        else:
            form = third_step(
                tried.record, tried.slots.earlier, tried.domains, conversation.as_metadata()
            )
            await self.taking.screen.show(conversation, form, saved)
        await self.taking.run_waiting(conversation)

    async def go_on(self, conversation: Request, mark: str) -> None:
        """Show the third step of a rotation that was left there."""

        async def form() -> Block:
            slots = await self._slots(conversation)
            earlier = _earlier(slots, mark)
            return third_step(slots.record, earlier, None, conversation.as_metadata())

        await self._redraw(conversation, form)

    async def ask_to_delete(self, conversation: Request, mark: str) -> None:
        """Show the fourth step: the old key is deleted in the service."""

        async def form() -> Block:
            earlier = _earlier(await self._slots(conversation), mark)
            return fourth_step(earlier, conversation.as_metadata())

        await self._redraw(conversation, form)

    async def finish(self, conversation: Request, mark: str) -> None:
        """Forget the old key: it was deleted."""

        async def form() -> Block:
            by = conversation.origin.user_id
            await self.taking.custody.forget_earlier(conversation.workspace, mark, by=by)
            return finished((await self._slots(conversation)).record)

        await self._redraw(conversation, form)

    async def _redraw(self, conversation: Request, draw: Callable[[], Awaitable[Block]]) -> None:
        """Show the next step, or in its place why there is none."""
        try:
            await self.taking.rights.require_configurer(conversation)
            form = await draw()
        except BotError as error:
            await self.taking.screen.show_failure(conversation, error, interrupted)
            return
        await self.taking.screen.show(conversation, form, Message("That form is closed."))

    def _values(self, slots: KeyPair) -> KeyFormValues:
        return values_of(slots, self.taking.clock().date())

    async def _slots(self, conversation: Request) -> KeyPair:
        slots = await self.taking.keys.slots(conversation.workspace)
        if slots is None:
            raise NoKeyError("removed meanwhile")
        return slots


def _earlier(slots: KeyPair, mark: str) -> PreviousKey:
    if slots.earlier is None or slots.earlier.record.mark != mark:
        raise NoEarlierKeyError("not the one that was meant")
    return slots.earlier
