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
    answer = delivery.body if isinstance(delivery.body, dict) else {}
    match answer.get("response_action"):
        case None:
            stacks.close(view)
        case "errors":
            delivery.errors = view.errors = _errors_by_label(view, answer.get("errors"))
            stacks.touch(view)
        case "update":
            stacks.update(view, answer.get("view"))
        case "push":
            stacks.put_on_top(view, answer.get("view"))
        case "clear":
            stacks.clear(view.member_id)
        case other:
            raise Refusal(f"invalid response_action {other}")


def _errors_by_label(view: View, errors: Any) -> dict[str, str]:
    labels = {
        block["block_id"]: str(block["label"]["text"])
        for block in view.blocks
        if block.get("type") == "input"
    }
    if not isinstance(errors, dict) or not errors or not set(errors) <= set(labels):
        raise Refusal(f"errors must name input blocks of {sorted(labels)}, not {errors!r}")
    return {labels[block_id]: str(message) for block_id, message in errors.items()}
