"""Remember the score of each domain that a person was shown last."""

from collections.abc import Mapping

from cachetools import LRUCache

from bot.process.workspace import WorkspaceId

MAX_SCORES = 100_000


class ShownScores:
    """The latest scores that people were shown, in memory: a restart forgets them."""

    def __init__(self) -> None:
        self._scores: LRUCache[tuple[WorkspaceId, str, str], float | None] = LRUCache(MAX_SCORES)

    def note(
        self, workspace: WorkspaceId, user_id: str, scores: Mapping[str, float | None]
    ) -> None:
        """Note the scores by host that a person is shown now."""
        for host, score in scores.items():
            self._scores[workspace, user_id, host] = score

    def last(self, workspace: WorkspaceId, user_id: str, host: str) -> float | None:
        """Return the score of a host that the person was shown last, `None` if not known."""
        return self._scores.get((workspace, user_id, host))
