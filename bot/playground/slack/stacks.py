"""Modals on people's screens, up to three on top of each other, and Home tabs."""

from typing import Any

from bot.playground.slack import elements
from bot.playground.slack.checks import Checks
from bot.playground.slack.model import View
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.triggers import Trigger, Triggers
from bot.playground.slack.workspace import Workspace

Json = dict[str, Any]

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
        self._unique(payload, None)
        self.of(trigger.member_id).clear()
        return self._show(payload, trigger)

    def push(self, trigger_id: object, payload: Any) -> View:
        """Open a modal on top of the one in which the trigger arose. Raises: Refusal."""
        self._checks.view(payload, "modal")
        trigger = self._triggers.look_up(trigger_id)
        if trigger.view_id not in [view.id for view in self.of(trigger.member_id)]:
            raise Refusal("not_found")
        self._unique(payload, None)
        return self._show(payload, trigger)

    def put_on_top(self, view: View, payload: Any) -> View:
        """Open a modal on top of `view`, as `response_action: push` does. Raises: Refusal."""
        self._checks.view(payload, "modal")
        self._unique(payload, None)
        return self._show(payload, Trigger(view.member_id, 0, view.channel_id, view.id))

    def update(self, view: View, payload: Any, known_hash: object = None) -> None:
        """Give a view new content; what is typed stays where ids stay. Raises: Refusal."""
        self._checks.view(payload, view.payload["type"])
        if known_hash and known_hash != view.hash:
            raise Refusal("hash_conflict")
        self._unique(payload, view)
        # New initial values do not change a field that is there already, touched or not:
        # https://github.com/slackapi/bolt-python/issues/572.
        before = view.blocks
        held = elements.held(before, view.typed, view.channel_id)
        view.payload = self._stored(payload)
        view.typed = elements.surviving(held, before, view.blocks)
        view.errors, view.block_errors = {}, {}
        self.touch(view)

    def publish(self, member_id: str, payload: Any, known_hash: object = None) -> View:
        """Show a Home tab. Raises: Refusal."""
        if view := self.homes.get(member_id):
            self.update(view, payload, known_hash)
            return view
        self._checks.view(payload, "home")
        self._unique(payload, None)
        view = self._view(payload, member_id, None)
        self.homes[member_id] = view
        self.touch(view)
        return view

    def close(self, view: View) -> None:
        """Take a modal away, and what lies on top of it."""
        stack = self.of(view.member_id)
        if view in stack:
            del stack[stack.index(view) :]
        self._workspace.bell.ring()

    def clear(self, member_id: str) -> None:
        """Take all modals of a person away."""
        self.of(member_id).clear()
        self._workspace.bell.ring()

    def touch(self, view: View) -> None:
        """Note a change: a new hash, and whoever waits looks again."""
        view.hash = f"{int(self._workspace.clock())}.{self._workspace.new_id('h')}"
        view.revision += 1
        self._workspace.bell.ring()

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
        blocks = elements.with_ids(payload["blocks"], lambda: self._workspace.new_id("b"))
        return {**payload, "blocks": blocks}

    def _unique(self, payload: Json, view: View | None) -> None:
        external_id = payload.get("external_id")
        others = [other for other in self.live() if other is not view]
        if external_id and external_id in [other.payload.get("external_id") for other in others]:
            raise Refusal("duplicate_external_id")
