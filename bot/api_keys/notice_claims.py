"""Claim the due notice about a workspace's key, and record whom it has reached."""

from dataclasses import dataclass, replace
from datetime import timedelta

from bot.api_keys.key_pair import KeyPair, NoticeAttempt, SentNotice
from bot.api_keys.key_record import KeyNotice, KeyRecord
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
    outdated: tuple[SentNotice, ...]

    def progress(self, pair: KeyPair) -> NoticeAttempt | None:
        """Return what is stored of the attempt; `None` if `pair` has another one by now."""
        telling, is_same_key = pair.telling, pair.record.mark == self.record.mark
        return telling if telling and telling.name == self.notice.name and is_same_key else None

    def reaching(self, user_id: str, pair: KeyPair) -> KeyPair:
        """Return the pair after this notice has reached a person."""
        if not (telling := self.progress(pair)):
            return pair
        told = tuple(dict.fromkeys((*telling.told, user_id)))
        return replace(pair, telling=replace(telling, told=told))


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

        def delivered(pair: KeyPair) -> KeyPair:
            kept = (*pair.sent, sent) if sent else pair.sent
            return replace(claim.reaching(user_id, pair), sent=kept)

        await self.keys.change(workspace, delivered)

    async def note_edited(self, workspace: WorkspaceId, claim: Claim, sent: SentNotice) -> None:
        """Record that a sent notice was corrected, and that its person has this notice."""

        def edited(pair: KeyPair) -> KeyPair:
            left = tuple(each for each in pair.sent if each != sent)
            return replace(claim.reaching(sent.user_id, pair), sent=left)

        await self.keys.change(workspace, edited)

    async def postpone(self, workspace: WorkspaceId, claim: Claim, wait: timedelta) -> None:
        """Schedule another attempt after `wait`: it has not reached all."""

        def postponed(pair: KeyPair) -> KeyPair:
            if not (telling := claim.progress(pair)):
                return pair
            later = replace(telling, until=self.keys.clock() + wait, tries=telling.tries + 1)
            return replace(pair, telling=later)

        await self.keys.change(workspace, postponed)

    async def finish(self, workspace: WorkspaceId, claim: Claim) -> None:
        """Record that a notice is sent for good."""

        def finished(pair: KeyPair) -> KeyPair:
            telling, now = claim.progress(pair), self.keys.clock()
            return pair.notified(claim.notice, now, telling.told) if telling else pair

        await self.keys.change(workspace, finished)
