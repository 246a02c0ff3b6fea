"""People: whatever somebody does in Slack, and what they see."""

import re
from collections.abc import Callable
from typing import Any

from bot.playground.slack import forms, payloads, reading, sight, submission
from bot.playground.slack.delivery import Delivery, Outbox
from bot.playground.slack.elements import Found
from bot.playground.slack.failures import CommandFailed, NothingToPress
from bot.playground.slack.forms import FormError
from bot.playground.slack.model import Member, Message, View
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.world import World

Json = dict[str, Any]


class Person:
    """One person, acting. Messages and views that it hands out are snapshots of what is seen."""

    def __init__(self, world: World, outbox: Outbox, member: Member) -> None:
        self._world = world
        self._outbox = outbox
        self.member = member
        self._taken: dict[str, int] = {}  # what was handed out already, with its revision

    @property
    def id(self) -> str:
        """The person's user id."""
        return self.member.id

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
        delivery = await self._deliver("slash_commands", payload)
        self._show_ack(delivery)
        return delivery

    def messages(self, channel: str = "general") -> list[Message]:
        """Return what this person sees in a channel, oldest first."""
        place = sight.place(self._world, self.member, channel)
        return [message.snapshot() for message in sight.visible(place, self.member)]

    async def next_message(
        self,
        channel: str = "general",
        timeout_s: float = 5,
        where: Callable[[Message], bool] = lambda _message: True,
    ) -> Message:
        """Return the first message that is new, or changed, since this person last took it.

        Raises:
            TimeoutError: there is none within `timeout_s` seconds.
        """
        place = sight.place(self._world, self.member, channel)

        def look() -> Message | None:
            for message in sight.visible(place, self.member):
                if self._taken.get(message.ts) != message.revision and where(message.snapshot()):
                    self._taken[message.ts] = message.revision
                    return message.snapshot()
            return None

        try:
            return await self._world.workspace.bell.until(look, timeout_s)
        except TimeoutError:
            seen = [message.everything[:200] for message in sight.visible(place, self.member)]
            told = f"{self.member.name} waited {timeout_s} s in {channel}, seeing {seen}"
            raise TimeoutError(told) from None

    async def press(self, where: Message | View, label: str, *, nth: int = 0) -> Delivery:
        """Press the button of that label (the `nth` of several), confirming if asked to.

        Raises:
            NothingToPress: there is none. CommandFailed: the bot did not take it.
        """
        live = self._live(where)
        found = sight.button(live, label, nth)
        delivery = await self._act(live, found, {})
        delivery.dialog = found.element.get("confirm")
        return delivery

    def dismiss(self, where: Message | View, label: str, *, nth: int = 0) -> Json:
        """Press a button, but say no to its question; return the question. Nothing is sent.

        Raises:
            NothingToPress: there is no such button, or it asks nothing.
        """
        found = sight.button(self._live(where), label, nth)
        question = found.element.get("confirm")
        if question is None:
            raise NothingToPress(f"{label!r} asks no question")
        return dict(question)

    async def choose(self, where: Message | View, name: str, answer: Any) -> Delivery | None:
        """Choose in a menu, picker or group of boxes; None if Slack sends nothing until submit.

        Raises:
            FormError: there is no such field or option. CommandFailed: the bot did not take it.
        """
        live = self._live(where)
        found = forms.field_called(live.blocks, name)
        state = await self._filled(live, found, answer)
        live.typed[found.key] = state
        if found.block.get("type") == "input" and not found.block.get("dispatch_action"):
            return None
        return await self._act(live, found, state)

    async def suggest(self, where: Message | View, name: str, query: str) -> list[str]:
        """Type into an external select and return the options as shown.

        Below `min_query_length` Slack does not ask, and nothing is shown.

        Raises:
            FormError: the bot's answer is none that Slack shows.
        """
        live = self._live(where)
        options = await self._suggested(live, forms.field_called(live.blocks, name), query)
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

    async def next_form(self, timeout_s: float = 5) -> View:
        """Return the modal on top, once it is new or changed since this person last took it.

        Raises:
            TimeoutError: there is none within `timeout_s` seconds.
        """

        def look() -> View | None:
            form = self.form
            if form is None or self._taken.get(form.id) == form.revision:
                return None
            self._taken[form.id] = form.revision
            return form

        try:
            return await self._world.workspace.bell.until(look, timeout_s)
        except TimeoutError:
            shown = self.form.title if self.form else None
            told = f"{self.member.name} waited {timeout_s} s for a form, seeing {shown}"
            raise TimeoutError(told) from None

    async def submit(self, view: View, answers: dict[str, Any] | None = None) -> Delivery:
        """Fill in fields by their labels, and send the form.

        Raises:
            FormError: a field does not take its answer, or a required one is empty.
            CommandFailed: the bot did not take it, or answered what Slack cannot show.
        """
        live = sight.top(self._world, self.member, view)
        for name, answer in (answers or {}).items():
            found = forms.field_called(live.blocks, name)
            live.typed[found.key] = await self._filled(live, found, answer)
        forms.check_complete(live)
        payload = payloads.view_submission(self._world, self.member, live)
        delivery = await self._deliver("interactive", payload)
        try:
            submission.follow(self._world.stacks, live, delivery)
        except Refusal as refusal:
            raise CommandFailed(refusal.code, delivery) from refusal
        return delivery

    async def close(self, view: View) -> Delivery | None:
        """Close a form; None unless the bot asked to be told."""
        live = sight.top(self._world, self.member, view)
        told = payloads.view_closed(self._world, self.member, live)
        if live.payload.get("clear_on_close"):
            self._world.stacks.clear(self.id)
        self._world.stacks.close(live)
        if not live.payload.get("notify_on_close"):
            return None
        return await self._deliver("interactive", told)

    def _live(self, where: Message | View) -> Message | View:
        return sight.live(self._world, self.member, where)

    async def _deliver(self, kind: str, payload: Json) -> Delivery:
        delivery = await self._outbox.deliver(kind, payload)
        if delivery.problem:
            raise CommandFailed(delivery.problem, delivery)
        return delivery

    def _show_ack(self, delivery: Delivery) -> None:
        """Show the reply that came with the ack of a command."""
        body = delivery.body
        reply = body if isinstance(body, dict) else {"text": str(body)} if body else {}
        if not any(reply.get(key) for key in ("text", "blocks", "attachments")):
            return
        try:
            self._world.response_urls.reply_in_ack(str(delivery.response_url), reply)
        except Refusal as refusal:
            raise CommandFailed(refusal.code, delivery) from refusal

    async def _act(self, live: Message | View, found: Found, state: Json) -> Delivery:
        payload = payloads.block_actions(self._world, self.member, live, found, state)
        return await self._deliver("interactive", payload)

    async def _filled(self, live: Message | View, found: Found, answer: Any) -> Json:
        offered: list[Json] = []
        if forms.asks_the_bot(found) and answer is not None:
            for words in [answer] if isinstance(answer, str) else answer:
                offered += await self._suggested(live, found, words)
        return forms.filled(found, answer, self._world.workspace, offered)

    async def _suggested(self, live: Message | View, found: Found, query: str) -> list[Json]:
        if not forms.asks_the_bot(found):
            raise FormError(f"{found.names[0]} does not ask the bot for options")
        if len(query) < found.element.get("min_query_length", 3):
            return []
        payload = payloads.block_suggestion(self._world, self.member, live, found, query)
        delivery = await self._deliver("interactive", payload)
        return forms.check_suggestions(delivery.body)
