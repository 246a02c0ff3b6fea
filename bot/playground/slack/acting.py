"""Pressing, choosing and typing into what is on somebody's screen, found by its ids."""

from typing import Any

from bot.playground.slack import app_events, choices, elements, forms, payloads, sight, submission
from bot.playground.slack.choices import Choices
from bot.playground.slack.delivery import Delivery, Outbox
from bot.playground.slack.elements import Found
from bot.playground.slack.failures import CommandFailed, FormError, NothingToPress
from bot.playground.slack.model import Member, Message, View
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.world import World

Json = dict[str, Any]


class Acting:
    """One person's acts on the elements of messages and views."""

    def __init__(self, world: World, outbox: Outbox, member: Member) -> None:
        self._world = world
        self._outbox = outbox
        self._member = member

    async def command(self, payload: Json) -> Delivery:
        """Send a command and show the reply in its ack. Raises: CommandFailed."""
        delivery = await self.deliver("slash_commands", payload)
        body = delivery.body
        reply = body if isinstance(body, dict) else {"text": str(body)} if body else {}
        if any(reply.get(key) for key in ("text", "blocks", "attachments")):
            try:
                self._world.response_urls.reply_in_ack(str(delivery.response_url), reply)
            except Refusal as refusal:
                raise CommandFailed(refusal.code, delivery) from refusal
        return delivery

    async def press(self, where: Message | View, block_id: str, action_id: str) -> Delivery:
        """Press a button; whoever asks its question has asked it already.

        Raises:
            NothingToPress: it is not there any more. CommandFailed: the bot did not take it.
        """
        live = self.live(where)
        return await self.act(live, self._find(live, block_id, action_id), {})

    async def choose(
        self, where: Message | View, block_id: str, action_id: str, state: Json
    ) -> Delivery | None:
        """Fill in an element; `state` as in `state.values`. None if Slack sends nothing yet.

        Raises:
            NothingToPress: it is not there any more. CommandFailed: the bot did not take it.
        """
        live = self.live(where)
        return await self.fill(live, self._find(live, block_id, action_id), state)

    def note(self, where: Message | View, block_id: str, action_id: str, state: Json) -> None:
        """Note what was typed so far, of which the bot is told with the next act.

        Raises:
            NothingToPress: it is not there any more. FormError: the form is not on top.
        """
        live = self.live(where)
        live.typed[self._find(live, block_id, action_id).key] = state

    async def suggest(
        self, where: Message | View, block_id: str, action_id: str, query: str
    ) -> list[Json]:
        """Return the options of an external select for what is typed into it.

        Raises:
            NothingToPress: it is not there any more. CommandFailed: the bot did not take it.
            FormError: the bot's answer is none that Slack shows.
        """
        live = self.live(where)
        return await self.options(live, self._find(live, block_id, action_id), query)

    async def submit(self, view: View) -> Delivery | None:
        """Send the form as it is filled in; None if a field is wrong, which then says so.

        Raises:
            FormError: it is not on top. CommandFailed: as for `Person.submit`.
        """
        live = sight.top(self._world, self._member, view)
        if wrong := forms.wrong_fields(live):
            submission.show_errors(self._world.stacks, live, wrong)
            return None
        return await self.send(live)

    async def send(self, live: View) -> Delivery:
        """Send a form and do what the answer says. Raises: CommandFailed."""
        payload = payloads.view_submission(self._world, self._member, live)
        delivery = await self.deliver("interactive", payload)
        try:
            submission.follow(self._world.stacks, live, delivery)
        except Refusal as refusal:
            raise CommandFailed(refusal.code, delivery) from refusal
        return delivery

    async def close(self, view: View) -> Delivery | None:
        """Close the form on top; None unless the bot asked to be told."""
        live = sight.top(self._world, self._member, view)
        if live.payload.get("clear_on_close"):
            return await self.close_all(view)
        self._world.stacks.close(live)
        return await self._tell_closed(live, is_cleared=False)

    async def close_all(self, view: View) -> Delivery | None:
        """Close the form on top and those below it; each that asked for it is told of."""
        sight.top(self._world, self._member, view)
        views = list(reversed(self._world.stacks.of(self._member.id)))
        self._world.stacks.clear(self._member.id)
        told = [await self._tell_closed(view, is_cleared=True) for view in views]
        return told[0]

    async def open_home(self, tab: str = "home") -> Delivery | None:
        """Open the app's Home tab, or its tab of `messages`; None if that event is not wanted.

        Raises:
            CommandFailed: the bot did not take it.
        """
        if "app_home_opened" not in self._world.events:
            return None
        opened = app_events.home_opened(self._world, self._member, tab)
        return await self.deliver("events_api", opened)

    async def _tell_closed(self, view: View, *, is_cleared: bool) -> Delivery | None:
        if not view.payload.get("notify_on_close"):
            return None
        who, world = self._member, self._world
        told = payloads.view_closed(world, who, view, is_cleared=is_cleared)
        return await self.deliver("interactive", told)

    def live(self, where: Message | View) -> Message | View:
        """Return the thing itself behind a snapshot. Raises: NothingToPress, FormError."""
        return sight.live(self._world, self._member, where)

    async def act(self, live: Message | View, found: Found, state: Json) -> Delivery:
        """Tell the bot about an act on an element. Raises: CommandFailed."""
        payload = payloads.block_actions(self._world, self._member, live, found, state)
        return await self.deliver("interactive", payload)

    async def fill(self, live: Message | View, found: Found, state: Json) -> Delivery | None:
        """Note what an element holds now, and tell the bot where Slack does. See `choose`."""
        live.typed[found.key] = state
        if found.block.get("type") == "input" and not found.block.get("dispatch_action"):
            return None
        return await self.act(live, found, state)

    async def filled(self, live: Message | View, found: Found, answer: Any) -> Json:
        """Return the state of a field after an answer in words. See `forms.filled`."""
        offered: list[Json] = []
        if choices.asks_the_bot(found) and answer is not None:
            for words in [answer] if isinstance(answer, str) else answer:
                offered += await self.options(live, found, words)
        people, places = sight.people(self._world), sight.places(self._world, self._member)
        return forms.filled(found, answer, Choices(people, places, offered))

    async def options(self, live: Message | View, found: Found, query: str) -> list[Json]:
        """Ask the bot for options; below `min_query_length` nobody is asked. See `suggest`."""
        if not choices.asks_the_bot(found):
            raise FormError(f"{found.names[0]} does not ask the bot for options")
        if len(query) < found.element.get("min_query_length", 3):
            return []
        payload = payloads.block_suggestion(self._world, self._member, live, found, query)
        delivery = await self.deliver("interactive", payload)
        return choices.check_suggestions(delivery.body)

    async def deliver(self, kind: str, payload: Json) -> Delivery:
        """Send a payload to the bot. Raises: CommandFailed, unless it is acknowledged."""
        if self._member.deleted:
            raise CommandFailed("account_inactive")
        delivery = await self._outbox.deliver(kind, payload)
        if delivery.problem:
            raise CommandFailed(delivery.problem, delivery)
        return delivery

    def _find(self, live: Message | View, block_id: str, action_id: str) -> Found:
        for found in elements.elements(live.blocks):
            if found.key == (block_id, action_id):
                return found
        raise NothingToPress(f"no element {action_id!r} in a block {block_id!r} any more")
