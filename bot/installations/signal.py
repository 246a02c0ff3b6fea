"""What is told of a workspace, to those who are made later than who tells it."""

from collections.abc import Callable

from bot.workspace import WorkspaceId


class Signal:
    """Tells all that listen, at once; they may raise nothing."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[WorkspaceId], object]] = []

    def listen(self, listener: Callable[[WorkspaceId], object]) -> None:
        """Let `listener` hear of every workspace from now on."""
        self._listeners.append(listener)

    def __call__(self, workspace: WorkspaceId) -> None:
        """Tell of a workspace."""
        for listener in self._listeners:
            listener(workspace)
