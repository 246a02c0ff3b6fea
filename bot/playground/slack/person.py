"""People: what they do in Slack, and what they see."""

import re
from collections.abc import Callable
from typing import Any

from bot.playground.slack import block_contents, forms, payloads, views, visible
from bot.playground.slack.block_contents import Found, Json
from bot.playground.slack.browser import Browser, Page
from bot.playground.slack.change_event import PATIENCE_S
from bot.playground.slack.delivery import Delivery, Outbox, SignedHttp
from bot.playground.slack.forms import Choices
from bot.playground.slack.model import Channel, Member, Message, View
from bot.playground.slack.refusals import CommandFailed, FormError, NothingToPress, Refusal
from bot.playground.slack.universe import WorkspaceState
from bot.playground.slack.visible import Unseen


class Acting:
    """One person's acts on the elements of messages and views."""

    def __init__(self, world: WorkspaceState, outbox: Outbox, member: Member) -> None:
        self._world = world
        self._outbox = outbox
        self._member = member

    async def command(self, payload: Json) -> Delivery:
        """Send a command and show the reply in its ack. Raises: CommandFailed."""
        delivery = await self.deliver("slash_commands", payload)
        body = delivery.body
        reply = body if isinstance(body, dict) else {"text": str(body)} if body else {}
        if any(reply.get(key) for key in ("text", "blocks")):
            try:
                self._world.response_urls.reply_in_ack(str(delivery.response_url), reply)
            except Refusal as refusal:
                raise CommandFailed(refusal.code, delivery) from refusal
        return delivery

    async def press(self, where: Message | View, block_id: str, action_id: str) -> Delivery:
        """Press a button that asks nothing more. Raises: NothingToPress, CommandFailed."""
        live = self.live(where)
        return await self.act(live, self._find(live, block_id, action_id), {})

    async def choose(
        self, where: Message | View, block_id: str, action_id: str, state: Json
    ) -> Delivery | None:
        """Fill in an element; None if nothing is sent. Raises: NothingToPress, CommandFailed."""
        live = self.live(where)
        return await self.fill(live, self._find(live, block_id, action_id), state)

    def note(self, where: Message | View, block_id: str, action_id: str, state: Json) -> None:
        """Note what was typed so far. Raises: NothingToPress, FormError."""
        live = self.live(where)
        live.typed[self._find(live, block_id, action_id).key] = state

    async def suggest(
        self, where: Message | View, block_id: str, action_id: str, query: str
    ) -> list[Json]:
        """Return options for a text. Raises: NothingToPress, CommandFailed, FormError."""
        live = self.live(where)
        return await self.options(live, self._find(live, block_id, action_id), query)

    async def submit(self, view: View) -> Delivery | None:
        """Send a form as filled in; None if a field is wrong. Raises: FormError, CommandFailed."""
        live = visible.top(self._world, self._member, view)
        if wrong := forms.wrong_fields(live):
            views.show_errors(self._world.stacks, live, wrong)
            return None
        return await self.send(live)

    async def send(self, live: View) -> Delivery:
        """Send a form and do what the answer says. Raises: CommandFailed."""
        payload = payloads.view_submission(self._world, self._member, live)
        delivery = await self.deliver("interactive", payload)
        try:
            views.follow(self._world.stacks, live, delivery)
        except Refusal as refusal:
            raise CommandFailed(refusal.code, delivery) from refusal
        return delivery

    def close(self, view: View) -> None:
        """Close the form on top. Raises: FormError."""
        self._world.stacks.close(visible.top(self._world, self._member, view))

    def close_all(self, view: View) -> None:
        """Close the form on top and those below it. Raises: FormError."""
        visible.top(self._world, self._member, view)
        self._world.stacks.clear(self._member.id)

    async def open_home(self, tab: str = "home") -> Delivery | None:
        """Open a tab of the app; None if it gets no such event. Raises: CommandFailed."""
        if "app_home_opened" not in self._world.app.settings.events:
            return None
        opened = payloads.home_opened(self._world, self._member, tab)
        return await self.deliver("events_api", opened)

    def live(self, where: Message | View) -> Message | View:
        """Return the thing itself behind a snapshot. Raises: NothingToPress, FormError."""
        return visible.live(self._world, self._member, where)

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
        if forms.asks_the_bot(found) and answer is not None:
            for words in [answer] if isinstance(answer, str) else answer:
                # A label that is cut off is found by what stands before the ellipsis.
                offered += await self.options(live, found, words.removesuffix("…"))
        people, places = visible.people(self._world), visible.places(self._world, self._member)
        return forms.filled(found, answer, Choices(people, places, offered))

    async def options(self, live: Message | View, found: Found, query: str) -> list[Json]:
        """Ask the bot for options; below `min_query_length` it is not asked. See `suggest`."""
        if not forms.asks_the_bot(found):
            raise FormError(f"{found.names[0]} does not ask the bot for options")
        is_over_http = isinstance(self._outbox.carrier, SignedHttp)
        if is_over_http and not self._world.app.settings.suggests_options:
            raise FormError("the manifest has no message_menu_options_url")
        if len(query) < found.element.get("min_query_length", 3):
            return []
        payload = payloads.block_suggestion(self._world, self._member, live, found, query)
        delivery = await self.deliver("interactive", payload)
        return forms.check_suggestions(delivery.body)

    async def deliver(self, kind: str, payload: Json) -> Delivery:
        """Send a payload to the bot. Raises: CommandFailed, unless it is acknowledged."""
        if self._member.deleted:
            raise CommandFailed("account_inactive")
        if kind == "interactive" and not self._world.app.settings.is_interactive:
            # Slack shows: "This app is not configured to handle interactive responses."
            raise CommandFailed("not_interactive")
        if kind == "events_api":
            delivery = await self._outbox.deliver_event(payload)
        else:
            delivery = await self._outbox.deliver(kind, payload)
        if delivery.problem:
            raise CommandFailed(delivery.problem, delivery)
        return delivery

    def _find(self, live: Message | View, block_id: str, action_id: str) -> Found:
        for found in block_contents.elements(live.blocks):
            if found.key == (block_id, action_id):
                return found
        raise NothingToPress(f"no element {action_id!r} in a block {block_id!r} any more")


class Person:
    """One person, acting. Messages and views that it hands out are snapshots of what is seen."""

    def __init__(
        self, world: WorkspaceState, outbox: Outbox, member: Member, browser: Callable[[], Browser]
    ) -> None:
        self._world = world
        self.member = member
        self.browser = browser  # returns a new one, in which this person is signed in to Slack
        self.by_id = Acting(world, outbox, member)
        self._attention = Unseen(world, member)

    @property
    def id(self) -> str:
        return self.member.id

    async def install(
        self, start_url: str, *, approve: bool = True, org_wide: bool = False
    ) -> Page:
        return await self.browser().install(start_url, approve=approve, org_wide=org_wide)

    async def type(
        self, text: str, channel: str = "general", *, verbatim: bool = False
    ) -> Delivery:
        """Type a command; `verbatim` leaves out Slack's escaping. Raises: CommandFailed."""
        place = visible.place(self._world, self.member, channel)
        name, *rest = re.split(r"\s", text, maxsplit=1)
        words = rest[0].strip() if rest else ""
        visible.check_may_type(self._world, self.member, place, name)
        verbatim = verbatim or name in self._world.app.settings.raw_commands
        sent = words if verbatim else payloads.escaped(self._world, words)
        payload = payloads.command(self._world, self.member, place, name, sent)
        return await self.by_id.command(payload)

    async def shortcut(self, name: str, channel: str = "general") -> Delivery:
        """Use a global shortcut of that name while looking at a channel.

        Raises: NothingToPress: there is none. CommandFailed: the bot did not take it.
        """
        place = visible.place(self._world, self.member, channel)
        called = visible.shortcut_called(self._world, self.member, "global", name)
        payload = payloads.shortcut(self._world, self.member, place, called)
        return await self.by_id.deliver("interactive", payload)

    async def message_shortcut(self, message: Message, name: str) -> Delivery:
        """Use a shortcut of a message. Raises: NothingToPress, CommandFailed."""
        live = visible.seen(self._world, self.member, message)
        called = visible.shortcut_called(self._world, self.member, "message", name)
        if live.is_ephemeral:
            raise NothingToPress("an ephemeral message has no shortcuts")
        payload = payloads.message_shortcut(self._world, self.member, live, called)
        return await self.by_id.deliver("interactive", payload)

    def say(self, text: str, channel: str = "general", *, thread_ts: str | None = None) -> Message:
        """Post a message of their own, in a thread if `thread_ts` names its first message.

        Raises: CommandFailed: Slack does not take it there, or the text is too long.
        """
        place = visible.place(self._world, self.member, channel)
        visible.check_may_write(self._world, self.member, place)
        words = payloads.escaped(self._world, text, is_message=True)
        content = {"text": words, "thread_ts": thread_ts}
        try:
            return self._world.posting.add(place, content, user=self.id)
        except Refusal as refusal:
            raise CommandFailed(refusal.code) from refusal

    def edit(self, message: Message, text: str) -> None:
        """Change a message of their own. Raises: NothingToPress: it is not, or is gone."""
        words = payloads.escaped(self._world, text, is_message=True)
        self._world.posting.replace(self._own(message), {"text": words}, edited=True)

    def delete(self, message: Message) -> None:
        """Delete a message of their own. Raises: NothingToPress: it is not, or is gone."""
        self._world.posting.remove(self._own(message))

    def _own(self, message: Message) -> Message:
        live = visible.seen(self._world, self.member, message)
        if live.user != self.id:
            raise NothingToPress(f"not a message of {self.member.name}")
        return live

    def channels(self) -> list[Channel]:
        """Return the channels that this person sees; the direct message is not among them."""
        return visible.channels(self._world, self.member)

    def messages(self, channel: str = "general") -> list[Message]:
        """Return what this person sees in a channel, oldest first."""
        place = visible.place(self._world, self.member, channel)
        return [message.snapshot() for message in visible.visible(place, self.member)]

    async def next_message(
        self,
        channel: str = "general",
        timeout_s: float = PATIENCE_S,
        where: Callable[[Message], bool] = lambda _message: True,
    ) -> Message:
        """Return the first message that is new, or changed, since this person last took it.

        Raises: TimeoutError: there is none within `timeout_s` seconds.
        """
        place = visible.place(self._world, self.member, channel)
        return await self._attention.next_message(place, timeout_s, where)

    async def download(self, message: Message, *, nth: int = 0) -> bytes:
        """Return the bytes of a file of a message, as by a click on it.

        Raises: PermissionError: this person does not see where it is shared.
        """
        return await self.browser().download(message.files[nth]["url_private_download"])

    async def press(self, where: Message | View, label: str, *, nth: int = 0) -> Delivery:
        """Press the `nth` button of a label, confirming. Raises: NothingToPress, CommandFailed."""
        live = self.by_id.live(where)
        return await self.by_id.act(live, visible.button(live, label, nth), {})

    def dismiss(self, where: Message | View, label: str) -> Json:
        """Say no to a button's question; return the question. Raises: NothingToPress."""
        found = visible.button(self.by_id.live(where), label)
        question = found.element.get("confirm")
        if question is None:
            raise NothingToPress(f"{label!r} asks no question")
        return dict(question)

    async def choose(self, where: Message | View, name: str, answer: Any) -> Delivery | None:
        """Choose in a menu, picker or boxes; None if Slack sends nothing until submit.

        Raises: FormError: there is no such field or option. CommandFailed.
        """
        live = self.by_id.live(where)
        found = forms.field_called(live.blocks, name)
        return await self.by_id.fill(live, found, await self.by_id.filled(live, found, answer))

    async def suggest(self, where: Message | View, name: str, query: str) -> list[str]:
        """Type into an external select and return the options as shown. Raises: FormError."""
        live = self.by_id.live(where)
        found = forms.field_called(live.blocks, name)
        options = await self.by_id.options(live, found, query)
        return [block_contents.label(option) for option in options]

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

        Raises: TimeoutError: there is none within `timeout_s` seconds.
        """
        return await self._attention.next_form(timeout_s)

    async def submit(self, view: View, answers: dict[str, Any] | None = None) -> Delivery:
        """Fill in fields by their labels, and send the form. Raises: FormError, CommandFailed."""
        live = visible.top(self._world, self.member, view)
        for name, answer in (answers or {}).items():
            found = forms.field_called(live.blocks, name)
            live.typed[found.key] = await self.by_id.filled(live, found, answer)
        forms.check_complete(live)
        return await self.by_id.send(live)

    async def close(self, view: View) -> None:
        self.by_id.close(view)
