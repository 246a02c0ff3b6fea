"""Remember which domains a workspace has seen, as a sample: a key of another portfolio shows."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from bot.process.concurrency import compute
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents, StoreError

KIND = "seen"
MAX_MARKS = 500


@dataclass(frozen=True, slots=True)
class Sample:
    """The number of domains in a list, and the marks of some: of two lists the same ones."""

    count: int
    marks: tuple[str, ...]

    def shares_any(self, hosts: Collection[str]) -> bool:
        """Return whether one of the sampled domains is among `hosts`."""
        return not set(self.marks).isdisjoint(map(_mark, hosts))


class SeenDomains:
    """The sample of the last list that any key of a workspace gave; it outlives the key."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def note(self, workspace: WorkspaceId, hosts: Collection[str]) -> None:
        """Keep the sample of a list, if it is another one; a failure is only logged."""
        marks = await compute(len(hosts), lambda: sorted(map(_mark, hosts)))
        sample = Sample(len(hosts), tuple(marks[:MAX_MARKS]))
        with log_and_suppress("the domains that were seen are not noted", StoreError):
            if await self.last(workspace) == sample:
                return
            value = {"v": 1, "sample": msgspec.to_builtins(sample)}
            await self._documents.put(f"{workspace}/{KIND}", value)

    async def last(self, workspace: WorkspaceId) -> Sample | None:
        """Return the sample of the last list, `None` before the first; raise StoreError."""
        document = await self._documents.get(f"{workspace}/{KIND}")
        return msgspec.convert(document.value["sample"], Sample) if document else None


def _mark(host: str) -> str:
    return hashlib.sha256(host.encode()).hexdigest()[:12]
