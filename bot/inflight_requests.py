"""Store which answers people wait for, so that another process can tell them after a crash."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

from bot.backoff import backoff
from bot.store.documents import ConflictError, Document, Documents
from bot.store.encryption import KeyRing, associated_data
from bot.workspace import WorkspaceId

KIND = "pending"
# What is answered sooner, and that is nearly everything, never gets among what is due.
DUE_AFTER = timedelta(seconds=10)
# So long Slack takes answers to what somebody did, and so long they may still wait for one:
# https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
TOLD_FOR = timedelta(minutes=30)
# Whoever takes one has so long to tell the person, until another one may try; then twice as long.
FIRST_TRY = timedelta(seconds=45)
LONGEST_TRY = timedelta(minutes=5)
LOOK_AT = 20_000  # digests may be due at the same moment


@dataclass(frozen=True, slots=True)
class Place:
    """Whose work it is: the `number`th of one process, for somebody in a workspace."""

    workspace: WorkspaceId
    process_id: str
    number: int

    @property
    def name(self) -> str:
        """What tells it from others of the same workspace."""
        return f"{self.process_id}-{self.number}"

    @property
    def key(self) -> str:
        """The name of its document."""
        return f"{self.workspace}/{KIND}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """Who waits for what, and every way back to them: see `Request`, `Origin`.

    `what` names the listener, `request` is its reference in the log. `view_id` is that of the form
    or window before them; `form_waits`: it stands there without anything to press;
    `messages_url`: it is a window over the Home tab, and this leads from there to their messages.
    What does not apply is `None`.
    """

    user_id: str
    what: str
    request: str = ""
    channel_id: str | None = None
    response_url: str | None = field(default=None, repr=False)
    is_message: bool = False
    is_home: bool = False
    takes_place: bool = False
    command_line: str | None = field(default=None, repr=False)
    view_id: str | None = None
    view_hash: str | None = None
    form_waits: bool = False
    messages_url: str | None = None


class InflightStore:
    """One document for each, sealed, as it holds a response_url. Methods may raise StoreError."""

    def __init__(
        self, documents: Documents, ring: KeyRing, *, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self._ring = ring
        self._clock = clock

    async def keep(self, place: Place, pending: Pending, *, since: datetime) -> None:
        """Note that somebody waits since then; what was noted there before is replaced."""
        value = {
            "v": 1,
            "since": since.isoformat(),
            "tries": 0,
            "sealed": self._ring.encrypt(json.dumps(asdict(pending)), _about(place)),
        }
        await self._documents.put(place.key, value, due_at=since + DUE_AFTER)

    async def forget(self, place: Place) -> None:
        """Note that nobody waits there any more."""
        await self._documents.delete(place.key)

    async def due(self) -> list[Place]:
        """Return where somebody waits for more than ten seconds, and nobody is telling them."""
        keys = await self._documents.due_keys(self._clock(), limit=LOOK_AT)
        return [_place(key) for key in keys if f"/{KIND}/" in key]

    async def take(self, place: Place) -> Pending | None:
        """Return who is to be told by whoever calls this; `None`: nobody, or others do.

        It comes due again after 45 s, then twice as long each time: whoever has told them calls
        `forget`. One that is half an hour old is forgotten here.
        """
        document, now = await self._documents.get(place.key), self._clock()
        if document is None or _is_taken(document, now):
            return None
        value = document.value
        try:
            if now - datetime.fromisoformat(value["since"]) > TOLD_FOR:
                await self._documents.delete(place.key, if_rev=document.rev)
                return None
            tried = {**value, "tries": value["tries"] + 1}
            due_at = now + backoff(FIRST_TRY, value["tries"], LONGEST_TRY)
            await self._documents.put(place.key, tried, due_at=due_at, if_rev=document.rev)
        except ConflictError:
            return None  # somebody else was faster
        return _decoded(json.loads(self._ring.decrypt(value["sealed"], _about(place))))


def _is_taken(document: Document, now: datetime) -> bool:
    """Whether somebody took it since it was seen to be due, and is telling the person."""
    is_due = document.due_at is None or document.due_at <= now
    return document.value["tries"] > 0 and not is_due


def _decoded(body: dict[str, Any]) -> Pending:
    """While a new version is rolled out, processes of both read what the other has written."""
    known = {each.name for each in fields(Pending)}
    return Pending(**{name: body[name] for name in body if name in known})


def _place(key: str) -> Place:
    workspace, _, name = key.split("/")
    process_id, _, number = name.partition("-")
    return Place(WorkspaceId.parse(workspace), process_id, int(number))


def _about(place: Place) -> str:
    return associated_data("pending-answer", place.workspace, place.name)
