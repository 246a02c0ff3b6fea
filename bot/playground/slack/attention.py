"""What somebody has noticed, so that the next thing they take is new."""

from collections.abc import Callable

from bot.playground.slack import sight
from bot.playground.slack.model import Channel, Member, Message, View
from bot.playground.slack.world import World


class Attention:
    """One person's. What it hands out are snapshots; each is handed out once per change."""

    def __init__(self, world: World, member: Member) -> None:
        self._world = world
        self._member = member
        self._taken: dict[str, int] = {}  # what was handed out already, with its revision

    async def next_message(
        self, place: Channel, timeout_s: float, where: Callable[[Message], bool]
    ) -> Message:
        """Return the first message that is new or changed. Raises: TimeoutError."""

        def look() -> Message | None:
            for message in sight.visible(place, self._member):
                if self._taken.get(message.ts) != message.revision and where(message.snapshot()):
                    self._taken[message.ts] = message.revision
                    return message.snapshot()
            return None

        try:
            return await self._world.workspace.bell.until(look, timeout_s)
        except TimeoutError:
            seen = [message.everything[:200] for message in sight.visible(place, self._member)]
            told = f"{self._member.name} waited {timeout_s} s in {place.name}, seeing {seen}"
            raise TimeoutError(told) from None

    async def next_form(self, timeout_s: float) -> View:
        """Return the modal on top, once it is new or changed. Raises: TimeoutError."""

        def look() -> View | None:
            form = self._top()
            if form is None or self._taken.get(form.id) == form.revision:
                return None
            self._taken[form.id] = form.revision
            return form.snapshot()

        try:
            return await self._world.workspace.bell.until(look, timeout_s)
        except TimeoutError:
            shown = (form := self._top()) and form.title
            told = f"{self._member.name} waited {timeout_s} s for a form, seeing {shown}"
            raise TimeoutError(told) from None

    def _top(self) -> View | None:
        stack = self._world.stacks.of(self._member.id)
        return stack[-1] if stack else None
