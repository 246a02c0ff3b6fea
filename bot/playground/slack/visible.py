"""What is before a person's eyes: the thing itself behind a snapshot, if it is still there."""

from collections.abc import Callable

from bot.playground.manifest import Shortcut
from bot.playground.slack import block_contents
from bot.playground.slack.block_contents import Found
from bot.playground.slack.model import Channel, Member, Message, View
from bot.playground.slack.refusals import CommandFailed, FormError, NothingToPress
from bot.playground.slack.universe import WorkspaceState


def place(world: WorkspaceState, who: Member, name: str) -> Channel:
    """Return a channel that somebody can see, by name or id; "dm" is the one with the bot.

    Raises: ValueError: they see no such channel.
    """
    workspace = world.workspace
    if name == "dm":
        return workspace.direct_message(who)
    channel = workspace.channel_named(name) or workspace.channels.get(name)
    hidden = channel is None or channel.is_private or channel.is_im
    hidden = hidden or who.is_stranger or who.is_restricted
    if channel is None or (hidden and who.id not in channel.members):
        raise ValueError(f"{who.name} sees no channel {name}")
    return channel


def channels(world: WorkspaceState, who: Member) -> list[Channel]:
    """Return the channels that somebody can see, without direct messages."""
    seen = []
    for channel in world.workspace.channels.values():
        is_hidden = channel.is_private or who.is_stranger or who.is_restricted
        if not channel.is_im and (who.id in channel.members or not is_hidden):
            seen.append(channel)
    return seen


def places(world: WorkspaceState, who: Member) -> list[Channel]:
    """Return what somebody can choose in menus: open channels, and the direct message."""
    found = [channel for channel in channels(world, who) if not channel.is_archived]
    return [*found, world.workspace.direct_message(who)]


def people(world: WorkspaceState) -> list[Member]:
    """Return everybody who can act, and be chosen in menus."""
    members = world.workspace.members.values()
    return [member for member in members if not (member.is_bot or member.deleted)]


def visible(channel: Channel, who: Member) -> list[Message]:
    return [message for message in channel.messages if message.is_for(who.id)]


def shortcuts(world: WorkspaceState, who: Member, kind: str) -> list[Shortcut]:
    """Return the app's shortcuts of a kind, "global" or "message", that somebody is offered."""
    is_offered = "commands" in world.scopes and not who.is_stranger
    return [each for each in world.app.settings.shortcuts if is_offered and each.type == kind]


def shortcut_called(world: WorkspaceState, who: Member, kind: str, name: str) -> str:
    """Return the `callback_id` of the shortcut of that name. Raises: NothingToPress."""
    offered = {each.name: each.callback_id for each in shortcuts(world, who, kind)}
    if name not in offered:
        raise NothingToPress(f"no {kind} shortcut {name!r}; there are {[*offered]}")
    return offered[name]


def seen(world: WorkspaceState, who: Member, message: Message) -> Message:
    """Return a message as it is now, in a channel that they see. Raises: NothingToPress."""
    try:
        for each in visible(place(world, who, message.channel_id), who):
            if each.ts == message.ts:
                return each
    except ValueError as error:
        raise NothingToPress(str(error)) from error
    raise NothingToPress(f"{who.name} does not see this message any more")


def check_may_type(world: WorkspaceState, who: Member, channel: Channel, command: str) -> None:
    """Pass if Slack would send this command. Raises: CommandFailed."""
    if command not in world.app.settings.commands or "commands" not in world.scopes:
        raise CommandFailed("invalid_command")
    if who.is_stranger and not world.strangers_may_type:
        raise CommandFailed("invalid_command")
    check_may_say(who, channel)


def check_may_write(world: WorkspaceState, who: Member, channel: Channel) -> None:
    """Pass if somebody may post a message there. Raises: CommandFailed."""
    check_may_say(who, channel)
    settings = world.app.settings
    if channel.is_im and (settings.messages_tab_read_only or not settings.messages_tab):
        # Slack shows: "Sending messages to this app has been turned off."
        raise CommandFailed("messages_tab_disabled")


def check_may_say(who: Member, channel: Channel) -> None:
    """Pass if somebody may write there. Raises: CommandFailed."""
    if who.deleted:
        raise CommandFailed("account_inactive")
    if channel.is_archived:
        raise CommandFailed("is_archived")
    if who.id not in channel.members:
        raise CommandFailed("not_in_channel")


def live(world: WorkspaceState, who: Member, where: Message | View) -> Message | View:
    """Return a message or view as it is now. Raises: NothingToPress, FormError."""
    if isinstance(where, View):
        home = world.stacks.homes.get(who.id)
        return home if home and home.id == where.id else top(world, who, where)
    message = world.workspace.channels[where.channel_id].message(where.ts)
    if message is None or not message.is_for(who.id):
        raise NothingToPress(f"{who.name} does not see this message any more")
    return message


def top(world: WorkspaceState, who: Member, view: View) -> View:
    """Return the modal as it is now. Raises: FormError, unless it is on top."""
    stack = world.stacks.of(who.id)
    if not stack or stack[-1].id != view.id:
        seen = stack[-1].title if stack else None
        raise FormError(f"{view.title!r} is not on top of the screen, but {seen!r}")
    return stack[-1]


def button(where: Message | View, label: str, nth: int = 0) -> Found:
    """Return the button of that label, the `nth` (from 0) of several. Raises: NothingToPress."""
    found = [
        found
        for found in block_contents.elements(where.blocks)
        if found.element["type"] == "button" and block_contents.label(found.element) == label
    ]
    if nth >= len(found):
        raise NothingToPress(f"no button {label!r} (no. {nth}); there are {where.buttons}")
    return found[nth]


class Unseen:
    """One person's. What it hands out are snapshots; each is handed out once per change."""

    def __init__(self, world: WorkspaceState, member: Member) -> None:
        self._world = world
        self._member = member
        self._taken: dict[str, int] = {}  # what was handed out already, with its revision

    async def next_message(
        self, place: Channel, timeout_s: float, where: Callable[[Message], bool]
    ) -> Message:
        """Return the first message that is new or changed. Raises: TimeoutError."""

        def look() -> Message | None:
            for message in visible(place, self._member):
                if self._taken.get(message.ts) != message.revision and where(message.snapshot()):
                    self._taken[message.ts] = message.revision
                    return message.snapshot()
            return None

        try:
            return await self._world.workspace.change_event.until(look, timeout_s)
        except TimeoutError:
            seen = [message.everything[:200] for message in visible(place, self._member)]
            waited = f"{self._member.name} waited {timeout_s} s in {place.name}, seeing {seen}"
            raise TimeoutError(waited) from None

    async def next_form(self, timeout_s: float) -> View:
        """Return the modal on top, once it is new or changed. Raises: TimeoutError."""

        def look() -> View | None:
            form = self._top()
            if form is None or self._taken.get(form.id) == form.revision:
                return None
            self._taken[form.id] = form.revision
            return form.snapshot()

        try:
            return await self._world.workspace.change_event.until(look, timeout_s)
        except TimeoutError:
            shown = (form := self._top()) and form.title
            waited = f"{self._member.name} waited {timeout_s} s for a form, seeing {shown}"
            raise TimeoutError(waited) from None

    def _top(self) -> View | None:
        stack = self._world.stacks.of(self._member.id)
        return stack[-1] if stack else None
