"""Modals on people's screens, up to three on top of each other, and Home tabs."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.playground.slack import block_contents
from bot.playground.slack.block_contents import Json
from bot.playground.slack.delivery import Delivery
from bot.playground.slack.model import View, Workspace
from bot.playground.slack.posting import Checks
from bot.playground.slack.refusals import Refusal


@dataclass
class Trigger:
    """What a person did that allows a form."""

    member_id: str
    made_at: float
    channel_id: str | None
    view_id: str | None  # the view in which they did it; None: outside of any
    is_used: bool = False


class Triggers:
    """All trigger ids ever given out. Each is good for `life_s` seconds."""

    def __init__(self, clock: Callable[[], float], life_s: float) -> None:
        self._clock = clock
        self._life_s = life_s
        self._given: dict[str, Trigger] = {}

    def give(self, member_id: str, channel_id: str | None, view_id: str | None) -> str:
        trigger_id = f"{len(self._given) + 1}.{int(self._clock())}.{secrets.token_hex(16)}"
        self._given[trigger_id] = Trigger(member_id, self._clock(), channel_id, view_id)
        return trigger_id

    def find(self, trigger_id: object) -> Trigger | None:
        """Return what an id stands for, used up or not; None if it was never given out."""
        return self._given.get(str(trigger_id))

    def look_up(self, trigger_id: object) -> Trigger:
        """Return a trigger that is still good, without using it up. Raises: Refusal."""
        trigger = self._given.get(str(trigger_id))
        if trigger is None:
            raise Refusal("invalid_trigger_id")
        if trigger.is_used:
            raise Refusal("exchanged_trigger_id")
        if self._clock() - trigger.made_at > self._life_s:
            raise Refusal("expired_trigger_id")
        return trigger


MAX_STACK = 3  # https://docs.slack.dev/surfaces/modals


class Stacks:
    """Whatever the bot shows outside of messages."""

    def __init__(self, workspace: Workspace, checks: Checks, triggers: Triggers) -> None:
        self._workspace = workspace
        self._checks = checks
        self._triggers = triggers
        self._stacks: dict[str, list[View]] = {}
        self.homes: dict[str, View] = {}

    def of(self, member_id: str) -> list[View]:
        """Return a person's modals, the one that they see last."""
        return self._stacks.setdefault(member_id, [])

    def live(self) -> list[View]:
        """Return every view that is still open somewhere, Home tabs too."""
        return [*(view for stack in self._stacks.values() for view in stack), *self.homes.values()]

    def open(self, trigger_id: object, payload: Any) -> View:
        """Open a first modal; one that was open before gives way. Raises: Refusal."""
        self._checks.view(payload, "modal")
        trigger = self._triggers.look_up(trigger_id)
        self.of(trigger.member_id).clear()
        return self._show(payload, trigger)

    def push(self, trigger_id: object, payload: Any) -> View:
        """Open a modal on top of the one in which the trigger arose. Raises: Refusal."""
        self._checks.view(payload, "modal")
        trigger = self._triggers.look_up(trigger_id)
        if trigger.view_id not in [view.id for view in self.of(trigger.member_id)]:
            raise Refusal("not_found")
        return self._show(payload, trigger)

    def put_on_top(self, view: View, payload: Any) -> View:
        """Open a modal on top of `view`, as `response_action: push` does. Raises: Refusal."""
        self._checks.view(payload, "modal")
        return self._show(payload, Trigger(view.member_id, 0, view.channel_id, view.id))

    def update(self, view: View, payload: Any, known_hash: object = None) -> None:
        """Give a view new content; what is typed stays where ids stay. Raises: Refusal."""
        self._checks.view(payload, view.payload["type"])
        if known_hash and known_hash != view.hash:
            raise Refusal("hash_conflict")
        # New initial values do not change a field that is there already, touched or not:
        # https://github.com/slackapi/bolt-python/issues/572.
        before = view.blocks
        held = block_contents.held(before, view.typed)
        shown, view.payload = view.everything, self._stored(payload)
        view.typed = block_contents.surviving(held, before, view.blocks)
        view.block_errors = {}
        self.touch(view, is_seen=view.everything != shown or payload["type"] == "home")

    def publish(self, member_id: str, payload: Any, known_hash: object = None) -> View:
        """Show a Home tab. Raises: Refusal."""
        if view := self.homes.get(member_id):
            self.update(view, payload, known_hash)
            return view
        self._checks.view(payload, "home")
        view = self._view(payload, member_id, None)
        self.homes[member_id] = view
        self.touch(view)
        return view

    def close(self, view: View) -> None:
        """Take a modal away, and what lies on top of it."""
        stack = self.of(view.member_id)
        if view in stack:
            del stack[stack.index(view) :]
        self._workspace.change_event.notify()

    def clear(self, member_id: str) -> None:
        self.of(member_id).clear()
        self._workspace.change_event.notify()

    def touch(self, view: View, *, is_seen: bool = True) -> None:
        """Note a change: a new hash, and those who wait look again if it `is_seen`."""
        view.hash = f"{int(self._workspace.clock())}.{self._workspace.new_id('h')}"
        view.revision += is_seen
        self._workspace.change_event.notify()

    def _show(self, payload: Any, trigger: Trigger) -> View:
        stack = self.of(trigger.member_id)
        if len(stack) >= MAX_STACK:
            raise Refusal("push_limit_reached")
        trigger.is_used = True
        view = self._view(payload, trigger.member_id, trigger.channel_id)
        if stack:
            view.root_id, view.previous_id = stack[0].id, stack[-1].id
        stack.append(view)
        self.touch(view)
        return view

    def _view(self, payload: Json, member_id: str, channel_id: str | None) -> View:
        view_id = self._workspace.new_id("V")
        return View(view_id, member_id, self._stored(payload), "", view_id, channel_id=channel_id)

    def _stored(self, payload: Json) -> Json:
        blocks = block_contents.with_ids(payload["blocks"], lambda: self._workspace.new_id("b"))
        return {**payload, "blocks": blocks}


def follow(stacks: Stacks, view: View, delivery: Delivery) -> None:
    """Do with a form what the ack says; note its errors in the delivery. Raises: Refusal."""
    answer = delivery.body or {}
    if answer and not (isinstance(answer, dict) and answer.get("response_action")):
        raise Refusal(f"an ack that is neither empty nor a response_action: {answer!r}")
    match answer.get("response_action"):
        case None:
            stacks.close(view)
        case "errors":
            show_errors(stacks, view, _checked_errors(view, answer.get("errors")))
            delivery.errors = view.errors
        case "update":
            stacks.update(view, answer.get("view"))
        case "push":
            stacks.put_on_top(view, answer.get("view"))
        case "clear":
            stacks.clear(view.member_id)
        case other:
            raise Refusal(f"invalid response_action {other}")


def show_errors(stacks: Stacks, view: View, by_block: dict[str, str]) -> None:
    """Put errors under the fields of a form."""
    view.block_errors = by_block
    stacks.touch(view)


def _checked_errors(view: View, errors: Any) -> dict[str, str]:
    labels = view.labels
    if not isinstance(errors, dict) or not errors or not set(errors) <= set(labels):
        raise Refusal(f"errors must name input blocks of {sorted(labels)}, not {errors!r}")
    if not all(isinstance(message, str) and message for message in errors.values()):
        raise Refusal(f"errors must be words, not {errors!r}")
    return errors
