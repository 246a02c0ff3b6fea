"""What the ack of a sent form does: https://docs.slack.dev/surfaces/modals."""

from typing import Any

from bot.playground.slack.delivery import Delivery
from bot.playground.slack.model import View
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.stacks import Stacks


def follow(stacks: Stacks, view: View, delivery: Delivery) -> None:
    """Do with a form what the ack says; note its errors in the delivery.

    Raises:
        Refusal: Slack cannot follow it. The form stays as it was.
    """
    answer = delivery.body or {}
    if answer and not (isinstance(answer, dict) and answer.get("response_action")):
        raise Refusal(f"an ack that is neither empty nor a response_action: {answer!r}")
    match answer.get("response_action"):
        case None:
            stacks.close(view)
        case "errors":
            by_block = _checked_errors(view, answer.get("errors"))
            delivery.errors = show_errors(stacks, view, by_block)
        case "update":
            stacks.update(view, answer.get("view"))
        case "push":
            stacks.put_on_top(view, answer.get("view"))
        case "clear":
            stacks.clear(view.member_id)
        case other:
            raise Refusal(f"invalid response_action {other}")


def show_errors(stacks: Stacks, view: View, by_block: dict[str, str]) -> dict[str, str]:
    """Put errors under the fields of a form and return them by the fields' labels."""
    labels = _labels(view)
    view.block_errors = by_block
    view.errors = {labels[block_id]: message for block_id, message in by_block.items()}
    stacks.touch(view)
    return view.errors


def _checked_errors(view: View, errors: Any) -> dict[str, str]:
    labels = _labels(view)
    if not isinstance(errors, dict) or not errors or not set(errors) <= set(labels):
        raise Refusal(f"errors must name input blocks of {sorted(labels)}, not {errors!r}")
    return {block_id: str(message) for block_id, message in errors.items()}


def _labels(view: View) -> dict[str, str]:
    return {
        block["block_id"]: str(block["label"]["text"])
        for block in view.blocks
        if block.get("type") == "input"
    }
