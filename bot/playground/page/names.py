"""Names for ids, and the reader's time zone, as the drawing of blocks asks for them."""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from bot.playground.page.drawing.sheet import Conversation
from bot.playground.page.seat import Seat, people
from bot.playground.slack import visible
from bot.playground.slack.model import SLACKBOT_ID, Channel


@dataclass(frozen=True)
class SlackNames:
    """Names as one reader sees them."""

    seat: Seat
    app_name: str

    def user(self, user_id: str) -> str | None:
        """Return the shown name of a person, the app or Slackbot; None where there is nobody."""
        workspace = self.seat.slack.world.workspace
        if user_id == SLACKBOT_ID:
            return "Slackbot"
        if user_id == workspace.bot_user_id:
            return self.app_name
        member = workspace.members.get(user_id)
        return member.name if member else None

    def channel(self, channel_id: str) -> str | None:
        """Return a channel's name without #; None where the reader sees none."""
        seen = {channel.id: channel.name for channel in self.seat.person.channels()}
        return seen.get(channel_id)

    def user_group(self, group_id: str) -> str | None:
        """Return the handle of a user group; None where there is none."""
        group = self.seat.slack.world.workspace.user_groups.get(group_id)
        return group.handle if group else None

    def zone(self) -> ZoneInfo:
        """Return the reader's time zone."""
        return ZoneInfo(self.seat.member.tz)

    def now(self) -> datetime:
        """Return the workspace's time, which can be moved."""
        return datetime.fromtimestamp(self.seat.slack.world.workspace.clock(), self.zone())

    def people(self) -> dict[str, str]:
        """Return id and name of everybody in the workspace."""
        return {member.id: member.name for member in people(self.seat.slack)}

    def conversations(self) -> list[Conversation]:
        """Return the channels that the reader sees, and the direct message with the app."""
        world = self.seat.slack.world
        return [self._conversation(place) for place in visible.places(world, self.seat.member)]

    def _conversation(self, place: Channel) -> Conversation:
        name = self.app_name if place.is_im else place.name
        return Conversation(place.id, name, place.kind, place.is_shared, is_with_bot=place.is_im)


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
