"""People: whatever somebody does in Slack, and what they see."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from bot.playground.slack import forms, payloads, reading, sight
from bot.playground.slack.acting import Acting
from bot.playground.slack.attention import Attention
from bot.playground.slack.bell import PATIENCE_S
from bot.playground.slack.browser import Browser, Page
from bot.playground.slack.delivery import Delivery, Outbox
from bot.playground.slack.failures import CommandFailed, NothingToPress
from bot.playground.slack.model import Channel, Member, Message, View
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.world import World

Json = dict[str, Any]


class Person:
    """One person, acting. Messages and views that it hands out are snapshots of what is seen."""

    def __init__(
        self, world: World, outbox: Outbox, member: Member, browser: Callable[[], Browser]
    ) -> None:
        self._world = world
        self.member = member
        self.browser = browser  # returns a new one, in which this person is signed in to Slack
        self.by_id = Acting(world, outbox, member)
        self._attention = Attention(world, member)

    @property
    def id(self) -> str:
        """The person's user id."""
        return self.member.id

    async def install(
        self,
        start_url: str,
        *,
        approve: bool = True,
        org_wide: bool = False,
        declined: Iterable[str] = (),
    ) -> Page:
        """Install the app in a new browser: from its own page, over Slack's, back to it.

        Without `approve` they cancel; `org_wide` is for the whole organisation; `declined` are
        optional scopes that they do not grant. Returns the page on which it ends, which is
        Slack's where that does not let them. For the single steps see `browser`.
        """
        return await self.browser().install(
            start_url, approve=approve, org_wide=org_wide, declined=declined
        )

    async def type(
        self, text: str, channel: str = "general", *, verbatim: bool = False
    ) -> Delivery:
        """Type a command; `verbatim` leaves out Slack's escaping and linking of the text.

        Raises:
            CommandFailed: Slack does not send it, gets no proper ack, or refuses the reply in it.
        """
        place = sight.place(self._world, self.member, channel)
        name, *rest = re.split(r"\s", text, maxsplit=1)
        words = rest[0].strip() if rest else ""
        sight.check_may_type(self._world, self.member, place, name)
        sent = words if verbatim else payloads.as_sent(self._world, words)
        payload = payloads.command(self._world, self.member, place, name, sent)
        return await self.by_id.command(payload)

    def say(self, text: str, channel: str = "general", *, thread_ts: str | None = None) -> Message:
        """Post a message of their own, in a thread if `thread_ts` names its first message.

        Raises:
            CommandFailed: Slack does not take it: the channel is archived or not theirs, or the
                text is too long.
        """
        place = sight.place(self._world, self.member, channel)
        sight.check_may_say(self.member, place)
        content = {"text": payloads.escaped(self._world, text), "thread_ts": thread_ts}
        try:
            return self._world.posting.add(place, content, user=self.id)
        except Refusal as refusal:
            raise CommandFailed(refusal.code) from refusal

    def join(self, channel: str) -> None:
        """Join a channel that this person sees."""
        sight.place(self._world, self.member, channel).members.add(self.id)
        self._world.workspace.bell.ring()

    def channels(self) -> list[Channel]:
        """Return the channels that this person sees; the direct message is not among them."""
        return sight.channels(self._world, self.member)

    def messages(self, channel: str = "general") -> list[Message]:
        """Return what this person sees in a channel, oldest first."""
        place = sight.place(self._world, self.member, channel)
        return [message.snapshot() for message in sight.visible(place, self.member)]

    async def next_message(
        self,
        channel: str = "general",
        timeout_s: float = PATIENCE_S,
        where: Callable[[Message], bool] = lambda _message: True,
    ) -> Message:
        """Return the first message that is new, or changed, since this person last took it.

        Raises:
            TimeoutError: there is none within `timeout_s` seconds.
        """
        place = sight.place(self._world, self.member, channel)
        return await self._attention.next_message(place, timeout_s, where)

    async def press(self, where: Message | View, label: str, *, nth: int = 0) -> Delivery:
        """Press the button of that label (the `nth` of several), confirming if asked to.

        Raises:
            NothingToPress: there is none. CommandFailed: the bot did not take it.
        """
        live = self.by_id.live(where)
        found = sight.button(live, label, nth)
        delivery = await self.by_id.act(live, found, {})
        delivery.dialog = found.element.get("confirm")
        return delivery

    def dismiss(self, where: Message | View, label: str, *, nth: int = 0) -> Json:
        """Press a button, but say no to its question; return the question. Nothing is sent.

        Raises:
            NothingToPress: there is no such button, or it asks nothing.
        """
        found = sight.button(self.by_id.live(where), label, nth)
        question = found.element.get("confirm")
        if question is None:
            raise NothingToPress(f"{label!r} asks no question")
        return dict(question)

    async def choose(self, where: Message | View, name: str, answer: Any) -> Delivery | None:
        """Choose in a menu, picker or group of boxes; None if Slack sends nothing until submit.

        Raises:
            FormError: there is no such field or option. CommandFailed: the bot did not take it.
        """
        live = self.by_id.live(where)
        found = forms.field_called(live.blocks, name)
        return await self.by_id.fill(live, found, await self.by_id.filled(live, found, answer))

    async def suggest(self, where: Message | View, name: str, query: str) -> list[str]:
        """Type into an external select and return the options as shown.

        Below `min_query_length` Slack does not ask, and nothing is shown.

        Raises:
            FormError: the bot's answer is none that Slack shows.
        """
        live = self.by_id.live(where)
        found = forms.field_called(live.blocks, name)
        options = await self.by_id.options(live, found, query)
        return [reading.label(option) for option in options]

    @property
    def form(self) -> View | None:
        """The modal on top of this person's screen, or None."""
        stack = self._world.stacks.of(self.id)
        return stack[-1].snapshot() if stack else None

    @property
    def home(self) -> View | None:
        """The Home tab as this person sees it, or None before the bot publishes one."""
        view = self._world.stacks.homes.get(self.id)
        return view.snapshot() if view else None

    async def next_form(self, timeout_s: float = PATIENCE_S) -> View:
        """Return the modal on top, once it is new or changed since this person last took it.

        Raises:
            TimeoutError: there is none within `timeout_s` seconds.
        """
        return await self._attention.next_form(timeout_s)

    async def submit(self, view: View, answers: dict[str, Any] | None = None) -> Delivery:
        """Fill in fields by their labels, and send the form.

        Raises:
            FormError: a field does not take its answer, or a required one is empty.
            CommandFailed: the bot did not take it, or answered what Slack cannot show.
        """
        live = sight.top(self._world, self.member, view)
        for name, answer in (answers or {}).items():
            found = forms.field_called(live.blocks, name)
            live.typed[found.key] = await self.by_id.filled(live, found, answer)
        forms.check_complete(live)
        return await self.by_id.send(live)

    async def close(self, view: View) -> Delivery | None:
        """Close a form; None unless the bot asked to be told."""
        return await self.by_id.close(view)
