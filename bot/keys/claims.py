"""Who tells people of a key: one worker at a time, and each notice once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.keys.record import KeyRecord
from bot.keys.reminders import KeyNotice, due_notice
from bot.keys.shelf import KeyShelf, is_of_keys
from bot.keys.slots import KeySlots, Telling
from bot.store.base import Documents
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Claim:
    """A notice that one worker tells: about which key, and whom it has reached already.

    `tries`: how often it was put off before.
    """

    notice: KeyNotice
    record: KeyRecord
    told: tuple[str, ...]
    tries: int


class KeyClaims:
    """Hands out what is due, and remembers how far it has come. May raise StoreError."""

    def __init__(self, documents: Documents, *, clock: Callable[[], datetime]) -> None:
        self._documents = documents
        self._shelf = KeyShelf(documents)
        self._clock = clock

    async def due(self, *, limit: int) -> list[WorkspaceId]:
        """Return at most `limit` workspaces about whose keys something has to be done now."""
        due = await self._documents.due_keys(self._clock(), limit=limit)
        return [WorkspaceId.parse(key.partition("/")[0]) for key in due if is_of_keys(key)]

    async def claim(self, workspace: WorkspaceId, *, lease: timedelta) -> Claim | None:
        """Return the notice that is due, for the caller alone until `lease` has passed.

        `None`: there is none, or somebody else has it. An earlier key that was kept long enough
        is forgotten on the way.
        """
        claims: list[Claim] = []

        def claimed(slots: KeySlots) -> KeySlots:
            now = self._clock()
            claims.clear()
            slots = slots.without_expired(now)
            notice, telling = due_notice(slots.record, now), slots.telling
            if notice is None or (telling and telling.until > now):
                return slots
            if telling is None or telling.name != notice.name:
                telling = Telling(notice.name, now)
            claims.append(Claim(notice, slots.record, telling.told, telling.tries))
            return replace(slots, telling=replace(telling, until=now + lease))

        await self._shelf.change(workspace, claimed)
        return claims[0] if claims else None

    async def note_told(self, workspace: WorkspaceId, claim: Claim, user_id: str) -> None:
        """Remember that a notice has reached somebody."""

        def told(slots: KeySlots, telling: Telling) -> KeySlots:
            people = tuple(dict.fromkeys((*telling.told, user_id)))
            return replace(slots, telling=replace(telling, told=people))

        await self._change_telling(workspace, claim, told)

    async def put_off(self, workspace: WorkspaceId, claim: Claim, wait: timedelta) -> None:
        """Let a notice be taken up again after `wait`: it has not reached everybody."""

        def put_off(slots: KeySlots, telling: Telling) -> KeySlots:
            later = replace(telling, until=self._clock() + wait, tries=telling.tries + 1)
            return replace(slots, telling=later)

        await self._change_telling(workspace, claim, put_off)

    async def finish(self, workspace: WorkspaceId, claim: Claim) -> None:
        """Remember that a notice is told, for good."""

        def finished(slots: KeySlots, telling: Telling) -> KeySlots:
            return slots.told(claim.notice, self._clock(), telling.told)

        await self._change_telling(workspace, claim, finished)

    async def _change_telling(
        self,
        workspace: WorkspaceId,
        claim: Claim,
        change: Callable[[KeySlots, Telling], KeySlots],
    ) -> None:
        """Change what is known of a notice, unless it is about another key or state by now."""

        def changed(slots: KeySlots) -> KeySlots:
            telling = slots.telling
            if telling is None or telling.name != claim.notice.name:
                return slots
            if slots.record.mark != claim.record.mark:
                return slots
            return change(slots, telling)

        await self._shelf.change(workspace, changed)
