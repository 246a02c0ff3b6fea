"""What Slack looks at before it takes a message or a view."""

from collections.abc import Sequence
from typing import Any

from bot.playground.blockkit import Problem, check_message, check_view
from bot.playground.slack.reading import objects
from bot.playground.slack.refusals import Refusal

Json = dict[str, Any]

MAX_POST_CHARS = (
    40_000  # longer texts are cut: https://docs.slack.dev/reference/methods/chat.postMessage
)
MAX_UPDATE_CHARS = 4_000  # https://docs.slack.dev/reference/methods/chat.update


class Checks:
    """The validator, plus the block types that this workspace does not know yet."""

    def __init__(self) -> None:
        self.refused_types: set[str] = set()

    def message(self, content: Json) -> None:
        """Pass, or raise Refusal with Slack's list of problems."""
        if content.get("markdown_text") and (content.get("text") or content.get("blocks")):
            raise Refusal("markdown_text_conflict")
        self._known_types(content.get("blocks") or [], "invalid_blocks")
        if found := check_message(content):
            raise refusal_of(*found)

    def view(self, view: Any, kind: str) -> None:
        """Pass a view of that kind (`modal` or `home`), or raise Refusal."""
        if not isinstance(view, dict) or view.get("type") != kind:
            problem = Problem("invalid_type", f"must be a view of type {kind}", "/view/type")
            raise refusal_of("invalid_arguments", [problem])
        self._known_types(view.get("blocks") or [], "invalid_arguments")
        if found := check_view(view):
            raise refusal_of(*found)

    def _known_types(self, blocks: Any, code: str) -> None:
        for node in objects(blocks):
            if node.get("type") in self.refused_types:
                told = f"unsupported type: {node['type']}"
                raise refusal_of(code, [Problem("unsupported_type", told, "/blocks")])


def refusal_of(code: str, problems: Sequence[Problem]) -> Refusal:
    """Return the refusal as the Web API words it: each problem with its JSON pointer."""
    told = [f"{problem.message} [json-pointer:{problem.pointer}]" for problem in problems]
    metadata = {"messages": [f"[ERROR] {line}" for line in told]}
    return Refusal(code, errors=told, response_metadata=metadata)
