"""How a request of Slack's is answered at once: its ack, or what is wrong in a form."""

from collections.abc import Mapping
from typing import Any, Protocol


class Ack(Protocol):
    """Bolt's `ack`, as far as the bot uses it."""

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Tell Slack, within 3 s, that the request has arrived; the arguments are its answer."""
        ...


class FormErrors(Exception):  # noqa: N818  # not a failure: what a form says beside its fields
    """A form that cannot be taken as it is: sentences by block id."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self.sentences = dict(sentences)
        super().__init__("a form was not taken")
