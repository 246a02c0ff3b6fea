"""Enterprise organisations: several workspaces with the same people."""

from dataclasses import dataclass, field
from typing import Any

from bot.playground.slack.model import View


@dataclass(frozen=True)
class OrgPerson:
    """Somebody of an organisation. Admins and owners of workspaces need not be any of it."""

    id: str
    name: str
    is_admin: bool = False
    is_owner: bool = False


@dataclass
class Org:
    """An organisation. `people` by id; `teams` are the ids of its workspaces, oldest first.

    `homes` are the Home tabs of an app that is installed for all of it: one for each person,
    whatever workspace they look at it from.
    """

    id: str
    name: str
    domain: str
    people: dict[str, OrgPerson] = field(default_factory=dict)
    teams: list[str] = field(default_factory=list)
    homes: dict[str, View] = field(default_factory=dict)

    def enterprise_user(self, member_id: str, teams: list[str]) -> dict[str, Any] | None:
        """Return what `users.info` says of somebody's place in it; None: they are not of it.

        https://docs.slack.dev/reference/objects/user-object
        """
        person = self.people.get(member_id)
        if person is None:
            return None
        return {
            "id": person.id,
            "enterprise_id": self.id,
            "enterprise_name": self.name,
            "is_admin": person.is_admin,
            "is_owner": person.is_owner,
            "is_primary_owner": person.is_owner,
            "teams": teams,
        }
