"""The id of a workspace."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class WorkspaceId:
    """One workspace, inside an Enterprise organisation or alone.

    `enterprise_id` is `None` outside an organisation. `str()` gives `E123.T456` or `-.T456`:
    no two workspaces share it, and none is a prefix of another's followed by `/`.
    """

    team_id: str
    enterprise_id: str | None = None

    def __str__(self) -> str:
        return f"{self.enterprise_id or '-'}.{self.team_id}"

    @classmethod
    def parse(cls, text: str) -> "WorkspaceId":
        """Return the workspace whose `str()` is `text`; raise ValueError when there is none."""
        enterprise_id, dot, team_id = text.partition(".")
        if not (enterprise_id and dot and team_id):
            raise ValueError("not a workspace")
        return cls(team_id, None if enterprise_id == "-" else enterprise_id)


def workspace_of_key(key: str) -> WorkspaceId:
    """Return the workspace of a document's key, `E1.T1/digest/d1`; raise ValueError for none."""
    return WorkspaceId.parse(key.partition("/")[0])
