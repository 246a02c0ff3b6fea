"""What the local Slack refused: hidden in Slack, shown on this page."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from nicegui import ui

from bot.playground.slack import Call, LocalSlack
from bot.playground.slack.errors import Refusal


def draw_refusal(code: str, details: Iterable[str], what: str) -> None:
    """Draw Slack's word for it and each reason with its JSON pointer; `what` was refused."""
    with ui.element("div").classes("sk-refused").props("role=note aria-label=Refused"):
        ui.label(f"Slack refused this: {code}").classes("sk-refused-code")
        for line in details:
            ui.label(line).classes("sk-refused-line")
        ui.label(f"{what} · in Slack nobody would see this").classes("sk-quiet")


Json = dict[str, Any]

TOO_FAST = 429  # repeated by the bot: not its fault


@dataclass(frozen=True)
class RefusedNote:
    """One refusal. `member_id`: the only one who would have seen the message; None: everybody."""

    number: int
    at: float
    channel_id: str
    member_id: str | None
    what: str
    answer: Json

    @property
    def code(self) -> str:
        """Slack's word for it."""
        return str(self.answer.get("error", ""))

    @property
    def details(self) -> list[str]:
        """What is wrong, a line each, with its JSON pointer where there is one."""
        return [str(line) for line in self.answer.get("errors") or []]


class RefusedNotes:
    """All refusals since the start, read from the calls that the local Slack remembers."""

    def __init__(self, slack: LocalSlack) -> None:
        self._slack = slack
        self._waiting: list[Call] = []
        self._taken = 0
        self._notes: list[RefusedNote] = []

    def of(self, channel_id: str, member_id: str) -> list[RefusedNote]:
        """Return what was refused in a channel, as far as one person would have seen it."""
        self._take_new()
        return [
            note
            for note in self._notes
            if note.channel_id == channel_id and note.member_id in (None, member_id)
        ]

    def add(self, refusal: Refusal, channel_id: str, member_id: str, what: str) -> None:
        """Note what was refused outside of any call: a reply in an ack."""
        now = self._slack.world.workspace.clock()
        self._add(now, channel_id, member_id, what, refusal.body)
        self._slack.world.workspace.change_event.notify()

    def _take_new(self) -> None:
        # From the end: the log forgets its oldest calls.
        taken = self._taken
        new = [*takewhile(lambda call: call.number > taken, reversed(self._slack.calls))]
        self._waiting += reversed(new)
        self._taken = new[0].number if new else taken
        # A call is remembered before it is answered.
        answered = [call for call in self._waiting if call.status]
        self._waiting = [call for call in self._waiting if not call.status]
        for call in answered:
            is_refused = call.answer.get("ok") is False and call.status != TOO_FAST
            if is_refused and (place := self._place(call)):
                self._add(call.at, *place, call.method, call.answer)

    def _add(
        self, at: float, channel_id: str, member_id: str | None, what: str, answer: Json
    ) -> None:
        number = len(self._notes) + 1
        self._notes.append(RefusedNote(number, at, channel_id, member_id, what, answer))

    def _place(self, call: Call) -> tuple[str, str | None] | None:
        """Return where it would have been seen, and by whom; None: nowhere."""
        if call.method == "response_url":
            return self._place_of_reply(call)
        if call.method.startswith("views."):
            return self._place_of_view(call.arguments)
        if not call.method.startswith("chat."):
            return None
        workspace = self._slack.world.workspace
        wanted = str(call.arguments.get("channel"))
        if member := workspace.members.get(wanted):
            return workspace.direct_message(member).id, None
        channel = workspace.channel_named(wanted) or workspace.channels.get(wanted)
        return (channel.id, call.arguments.get("user")) if channel else None

    def _place_of_reply(self, call: Call) -> tuple[str, str | None] | None:
        address = self._slack.world.response_urls.find(call.url.partition("/response/")[2])
        if address is None:
            return None
        is_public = call.arguments.get("response_type") == "in_channel"
        return address.channel_id, None if is_public else address.member_id

    def _place_of_view(self, arguments: Json) -> tuple[str, str | None] | None:
        world = self._slack.world
        trigger = world.triggers.find(arguments.get("trigger_id"))
        views = {view.id: view for view in world.stacks.live()}
        view = views.get(str(arguments.get("view_id")))
        member_id = arguments.get("user_id")
        if trigger:
            member_id, channel_id = trigger.member_id, trigger.channel_id
        elif view:
            member_id, channel_id = view.member_id, view.channel_id
        else:
            channel_id = None
        if (member := world.workspace.members.get(str(member_id))) is None:
            return None
        return channel_id or world.workspace.direct_message(member).id, member.id
