"""Where the app is installed: in single workspaces, or in a whole organisation."""

from dataclasses import dataclass, field


@dataclass
class Installation:
    """The app in one workspace or, `is_org_wide`, in an organisation.

    `home_id` is the workspace's or the organisation's id. `teams` are the workspaces in which it
    acts: of an organisation those that were given the app. `refusal` is why Slack takes none of
    its tokens for the time being.
    """

    home_id: str
    home_name: str
    bot_user_id: str
    scopes: tuple[str, ...]
    installed_by: str
    enterprise_id: str | None = None
    enterprise_name: str | None = None
    is_org_wide: bool = False
    teams: set[str] = field(default_factory=set)
    refusal: str | None = None

    def add_scopes(self, granted: tuple[str, ...]) -> None:
        """Add what another consent granted; scopes only grow.

        https://docs.slack.dev/authentication/installing-with-oauth
        """
        self.scopes = (*self.scopes, *(scope for scope in granted if scope not in self.scopes))

    @property
    def team(self) -> dict[str, str] | None:
        """The workspace as `oauth.v2.access` shows it; None for an organisation."""
        return None if self.is_org_wide else {"id": self.home_id, "name": self.home_name}

    @property
    def enterprise(self) -> dict[str, str | None] | None:
        """The organisation as `oauth.v2.access` shows it; None outside of any."""
        if self.enterprise_id is None:
            return None
        return {"id": self.enterprise_id, "name": self.enterprise_name}


class Installations:
    """All installations of the app that have not been removed."""

    def __init__(self) -> None:
        self._by_home: dict[str, Installation] = {}

    def add(self, installation: Installation) -> None:
        """Note an installation; there is one for each workspace or organisation."""
        self._by_home[installation.home_id] = installation

    def remove(self, installation: Installation) -> None:
        """Forget an installation."""
        self._by_home.pop(installation.home_id, None)

    def at(self, home_id: str | None) -> Installation | None:
        """Return the installation of exactly this workspace or organisation, or None."""
        return self._by_home.get(home_id or "")

    def acting_in(self, team_id: str, enterprise_id: str | None) -> Installation | None:
        """Return the one that acts in a workspace: its own, or its organisation's; else None.

        A workspace's own goes first: no page says what happens to it once the organisation
        installs the app as well.
        """
        org_wide = self.at(enterprise_id)
        reaches = org_wide is not None and team_id in org_wide.teams
        return self.at(team_id) or (org_wide if reaches else None)
