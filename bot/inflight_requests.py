"""Store the answers that people wait for, so that another process can notify after a crash."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta

import msgspec

from bot.backoff import backoff
from bot.store.documents import ConflictError, Documents
from bot.store.encryption import KeyRing, associated_data
from bot.workspace import WorkspaceId

KIND = "pending"
# Nearly everything is answered sooner and never comes due.
DUE_AFTER = timedelta(seconds=10)
# For this time Slack takes answers:
# https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
ANSWERABLE_FOR = timedelta(minutes=30)
# A process has this time to notify the person until another one may try; doubled each time.
FIRST_TRY = timedelta(seconds=45)
LONGEST_TRY = timedelta(minutes=5)
LOOK_AT = 20_000  # digests may be due at the same moment


@dataclass(frozen=True, slots=True)
class Place:
    """The identity of a request: its workspace, its process, and its number there."""

    workspace: WorkspaceId
    process_id: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.process_id}-{self.number}"

    @property
    def key(self) -> str:
        return f"{self.workspace}/{KIND}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A request that waits for its answer, and every way to reach its person.

    `what` names the listener, `request` is its reference in the log. `view_id` is the open form's
    or window's; `form_waits`: it has no buttons; `messages_url`: it is over the Home tab, and this
    link leads to the person's messages.
    `thread_ts` is that of the answer. `None` does not apply.
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
    thread_ts: str | None = None


class InflightStore:
    """The pending requests, sealed because of a response_url. Methods may raise StoreError."""

    def __init__(
        self, documents: Documents, ring: KeyRing, *, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self._ring = ring
        self._clock = clock

    async def keep(self, place: Place, pending: Pending, *, since: datetime) -> None:
        """Store or replace a request that waits since then."""
        value = {
            "v": 1,
            "since": since.isoformat(),
            "tries": 0,
            # Not by msgspec: a text may have half a surrogate pair.
            "sealed": self._ring.encrypt(json.dumps(asdict(pending)), _about(place)),
        }
        await self._documents.put(place.key, value, due_at=since + DUE_AFTER)

    async def forget(self, place: Place) -> None:
        await self._documents.delete(place.key)

    async def due(self) -> list[Place]:
        """Return the requests that wait for more than ten seconds, without a process at them."""
        keys = await self._documents.due_keys(self._clock(), limit=LOOK_AT)
        return [_place(key) for key in keys if f"/{KIND}/" in key]

    async def take(self, place: Place) -> Pending | None:
        """Return a request for the caller to notify of; `None`: it is gone, or another's.

        It comes due again after 45 s, then twice as long each time, until `forget`. After half an
        hour it is deleted.
        """
        document, now = await self._documents.get(place.key), self._clock()
        if document is None:
            return None
        value = document.value
        if value["tries"] and document.due_at and document.due_at > now:
            return None  # another process took it since it came due
        try:
            if now - datetime.fromisoformat(value["since"]) > ANSWERABLE_FOR:
                await self._documents.delete(place.key, if_rev=document.rev)
                return None
            tried = {**value, "tries": value["tries"] + 1}
            due_at = now + backoff(FIRST_TRY, value["tries"], LONGEST_TRY)
            await self._documents.put(place.key, tried, due_at=due_at, if_rev=document.rev)
        except ConflictError:
            return None  # another process was faster
        # During an update processes of two versions read each other's documents: unknown fields
        # are left out.
        body = json.loads(self._ring.decrypt(value["sealed"], _about(place)))
        return msgspec.convert(body, Pending)


def _place(key: str) -> Place:
    workspace, _, name = key.split("/")
    process_id, _, number = name.partition("-")
    return Place(WorkspaceId.parse(workspace), process_id, int(number))


def _about(place: Place) -> str:
    return associated_data("pending-answer", place.workspace, place.name)
