"""Who looks at one open page and at what, and names as they read them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from zoneinfo import ZoneInfo

from bot.playground.slack import LocalSlack, Person, visible
from bot.playground.slack.model import SLACKBOT_ID, Channel, Member

DEFAULT_PERSON = "ada"
HOME, DIRECT_MESSAGE, ABOUT = "home", "dm", "about"
# What Slack calls the app's tabs, and where they are on the page.
TABS = {"home": HOME, "messages": DIRECT_MESSAGE, "about": ABOUT}
# What of a page's address tells who looks at what.
QUERY = ("as", "channel")


@dataclass
class Session:
    """One browser tab. `place` is a channel's name, or one of TABS."""

    slack: LocalSlack
    name: str = DEFAULT_PERSON
    place: str = ""
    is_dark: bool = False

    def __post_init__(self) -> None:
        if self.name not in [member.name for member in people(self.slack)]:
            self.name = DEFAULT_PERSON
        self.sit(self.name)

    @property
    def person(self) -> Person:
        return self.slack.person(self.name)

    @property
    def member(self) -> Member:
        return self.person.member

    @property
    def channel(self) -> Channel | None:
        """The channel or direct message that is open; None for Home and About."""
        if self.place in {HOME, ABOUT}:
            return None
        workspace = self.slack.world.workspace
        if self.place == DIRECT_MESSAGE:
            return workspace.direct_message(self.member)
        return workspace.channel_named(self.place)

    @property
    def has_app(self) -> bool:
        """Whether the person meets the app outside of channels; not from another workspace."""
        return not self.member.is_stranger

    @property
    def places(self) -> list[str]:
        """Everything that the person may open, channels first."""
        seen = [channel.name for channel in self.person.channels()]
        return [*seen, *TABS.values()] if self.has_app else seen

    @property
    def address(self) -> str:
        """The page's address with all of this in it."""
        dark = {"dark": 1} if self.is_dark else {}
        return f"/?{urlencode(self._state | dark)}"

    def address_of_page(self, path: str) -> str:
        """Return the address of another page, which leads back to this session."""
        return f"{path}?{urlencode(self._state)}"

    @property
    def _state(self) -> dict[str, Any]:
        return {"as": self.name, "channel": self.place}

    def copy(self) -> "Session":
        return replace(self)

    def sit(self, name: str) -> None:
        """Become somebody else; where they may not be, go to their first channel."""
        self.name = name
        if self.place not in self.places:
            self.go(next(iter(self.places), DIRECT_MESSAGE))

    def go(self, place: str) -> None:
        self.place = place

    def address_of(self, place: str) -> str:
        """Return the address of another place for the same person."""
        return Session(self.slack, self.name, place, is_dark=self.is_dark).address


def from_query(slack: LocalSlack, query: Mapping[str, str]) -> Session:
    """Return the session that a page's address asks for; nonsense in it is passed over."""
    return Session(slack, query.get("as", DEFAULT_PERSON), query.get("channel", ""))


def place_of_link(url: str, session: Session) -> str | None:
    """Return where a link to the app's tabs or to its direct message leads; None: elsewhere.

    `slack://app?team=…&id=…&tab=…`, or `slack://channel?team=…&id=…`.

    https://docs.slack.dev/interactivity/deep-linking
    """
    parts = urlsplit(url)
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    slack = session.slack
    if (parts.scheme, parts.netloc, asked.get("team")) == ("slack", "channel", slack.team_id):
        direct = slack.world.workspace.direct_message(session.member)
        return DIRECT_MESSAGE if asked.get("id") == direct.id else None
    is_ours = (asked.get("team"), asked.get("id")) == (slack.team_id, slack.universe.app.id)
    if (parts.scheme, parts.netloc) != ("slack", "app") or not is_ours:
        return None
    return TABS.get(asked.get("tab", ""))


def people(slack: LocalSlack) -> list[Member]:
    return visible.people(slack.world)


def role(member: Member) -> str:
    """Return in a word or two what somebody may do in this workspace."""
    roles = (
        (member.is_owner, "owner"),
        (member.is_admin, "admin"),
        (member.is_restricted, "guest"),
        (member.is_stranger, "another workspace"),
    )
    return next((word for applies, word in roles if applies), "member")


@dataclass(frozen=True)
class SlackNames:
    """Ids to what one reader sees; `None` where they see nothing of that id."""

    session: Session
    app_name: str

    def user(self, user_id: str) -> str | None:
        workspace = self.session.slack.world.workspace
        if user_id == SLACKBOT_ID:
            return "Slackbot"
        if user_id == workspace.bot_user_id:
            return self.app_name
        member = workspace.members.get(user_id)
        return member.name if member else None

    def channel(self, channel_id: str) -> str | None:
        seen = {channel.id: channel.name for channel in self.session.person.channels()}
        return seen.get(channel_id)

    def user_group(self, group_id: str) -> str | None:
        group = self.session.slack.world.workspace.user_groups.get(group_id)
        return group.handle if group else None

    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.session.member.tz)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.session.slack.world.workspace.clock(), self.zone())

    def people(self) -> dict[str, str]:
        return {member.id: member.name for member in people(self.session.slack)}

    def conversations(self) -> dict[str, Channel]:
        places = visible.places(self.session.slack.world, self.session.member)
        return {self.app_name if place.is_im else place.name: place for place in places}


def moment(ts: str | float, zone: tzinfo) -> datetime:
    """Return a message's timestamp as a local time."""
    return datetime.fromtimestamp(float(ts), zone)


def day_words(day: datetime, today: datetime) -> str:
    """Return how Slack names a day in its dividers: Today, Yesterday, or the date."""
    days_ago = (today.date() - day.date()).days
    if days_ago in (0, 1):
        return ("Today", "Yesterday")[days_ago]
    return f"{day:%A}, {day:%B} {day.day}" + (f", {day:%Y}" if day.year != today.year else "")


def clock_words(when: datetime) -> str:
    """Return a time of day as Slack shows it in English: 9:05 AM."""
    return f"{when.hour % 12 or 12}:{when:%M %p}"
