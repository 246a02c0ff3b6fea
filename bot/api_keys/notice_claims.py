"""Claim the due notice about a workspace's key, and record whom it has reached."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.api_keys.key_pair import KeyPair, NoticeAttempt, SentNotice
from bot.api_keys.key_record import KeyNotice, KeyRecord, NoticeKind
from bot.api_keys.repository import Keys
from bot.slack.client import SentMessage
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Claim:
    """A notice that one worker sends: its key, the people it has reached, earlier attempts.

    `outdated` are the sent notices that it edits.
    """

    notice: KeyNotice
    record: KeyRecord
    reached: tuple[str, ...]
    tries: int
    outdated: tuple[SentNotice, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyClaims:
    """Hands out due notices, and records their progress. May raise StoreError."""

    keys: Keys

    async def claim(self, workspace: WorkspaceId, *, lease: timedelta) -> Claim | None:
        """Return the due notice, for the caller alone until `lease` has passed.

        `None`: there is none, or another worker has it. An earlier key whose time is over is
        deleted too.
        """
        claims: list[Claim] = []

        def claimed(pair: KeyPair) -> KeyPair:
            now = self.keys.clock()
            claims.clear()
            pair = pair.without_expired(now)
            notice, telling = pair.due_notice(now), pair.telling
            if notice is None or (telling and telling.until > now):
                return pair
            if telling is None or telling.name != notice.name:
                telling = NoticeAttempt(notice.name, now)
            outdated = pair.outdated_by(notice)
            claims.append(Claim(notice, pair.record, telling.told, telling.tries, outdated))
            return replace(pair, telling=replace(telling, until=now + lease))

        await self.keys.change(workspace, claimed)
        return claims[0] if claims else None

    async def note_delivered(
        self,
        workspace: WorkspaceId,
        claim: Claim,
        user_id: str,
        message: SentMessage | None = None,
    ) -> None:
        """Record that a notice has reached a person, by `message` if it may be edited later."""
        sent = message and SentNotice(claim.notice.name, claim.record.mark, user_id, message)

        def delivered(pair: KeyPair, telling: NoticeAttempt) -> KeyPair:
            people = tuple(dict.fromkeys((*telling.told, user_id)))
            kept = (*pair.sent, sent) if sent else pair.sent
            return replace(pair, telling=replace(telling, told=people), sent=kept)

        def late(pair: KeyPair) -> KeyPair:  # the key was replaced while it was sent
            return replace(pair, sent=(*pair.sent, sent)) if sent else pair

        await self._change_telling(workspace, claim, delivered, late)

    async def note_edited(self, workspace: WorkspaceId, claim: Claim, sent: SentNotice) -> None:
        """Record that a sent notice was corrected, and that its person has this notice."""

        def edited(pair: KeyPair, telling: NoticeAttempt) -> KeyPair:
            told = replace(telling, told=(*telling.told, sent.user_id))
            left = tuple(each for each in pair.sent if each != sent)
            return replace(pair, telling=told, sent=left)

        await self._change_telling(workspace, claim, edited)

    async def postpone(self, workspace: WorkspaceId, claim: Claim, wait: timedelta) -> None:
        """Schedule another attempt after `wait`: it has not reached all."""

        def postponed(pair: KeyPair, telling: NoticeAttempt) -> KeyPair:
            later = replace(telling, until=self.keys.clock() + wait, tries=telling.tries + 1)
            return replace(pair, telling=later)

        await self._change_telling(workspace, claim, postponed)

    async def finish(self, workspace: WorkspaceId, claim: Claim) -> None:
        """Record that a notice is sent for good."""

        def late(pair: KeyPair) -> KeyPair:
            if claim.notice.kind is not NoticeKind.EXPIRY or pair.record.mark != claim.record.mark:
                return pair
            # People know that the key expires: its refusal needs no other notice.
            return replace(pair, record=replace(pair.record, reminded_days=claim.notice.days))

        await self._change_telling(
            workspace,
            claim,
            lambda pair, telling: pair.notified(claim.notice, self.keys.clock(), telling.told),
            late,
        )

    async def _change_telling(
        self,
        workspace: WorkspaceId,
        claim: Claim,
        change: Callable[[KeyPair, NoticeAttempt], KeyPair],
        late: Callable[[KeyPair], KeyPair] = lambda pair: pair,
    ) -> None:
        """Change the progress of a notice; `late` if the document has another one by now."""

        def changed(pair: KeyPair) -> KeyPair:
            telling, is_same_key = pair.telling, pair.record.mark == claim.record.mark
            is_same = telling and telling.name == claim.notice.name and is_same_key
            return change(pair, telling) if telling and is_same else late(pair)

        await self.keys.change(workspace, changed)
