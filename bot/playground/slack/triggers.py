"""Trigger ids: the right to open one form, for some seconds, once."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

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
        """Return a new id."""
        trigger_id = f"{len(self._given) + 1}.{int(self._clock())}.{secrets.token_hex(16)}"
        self._given[trigger_id] = Trigger(member_id, self._clock(), channel_id, view_id)
        return trigger_id

    def find(self, trigger_id: object) -> Trigger | None:
        """Return what an id stands for, used up or not; None if it was never given out."""
        return self._given.get(str(trigger_id))

    def look_up(self, trigger_id: object) -> Trigger:
        """Return a trigger that is still good, without using it up.

        Raises:
            Refusal: `invalid_trigger_id`, `exchanged_trigger_id` or `expired_trigger_id`.
        """
        trigger = self._given.get(str(trigger_id))
        if trigger is None:
            raise Refusal("invalid_trigger_id")
        if trigger.is_used:
            raise Refusal("exchanged_trigger_id")
        if self._clock() - trigger.made_at > self._life_s:
            raise Refusal("expired_trigger_id")
        return trigger
