"""The part of the knobs that lets the bot's next post to Slack go wrong."""

from collections.abc import Callable
from functools import partial

from nicegui import ui

from bot.playground.slack import LocalSlack
from bot.playground.slack.app import Fault

POST = "chat.postMessage"
RETRY_AFTER_S = 5
LOOK_AGAIN_S = 1.0
ORDERS: dict[str, Callable[[LocalSlack], None]] = {
    "Next post: Slack is too busy (429)": lambda slack: slack.fail_next(
        POST, retry_after_s=RETRY_AFTER_S
    ),
    "Next post: connection lost after posting": lambda slack: slack.fail_next(
        POST, kind="drop", after_acting=True
    ),
    "Next post refused: archived": lambda slack: slack.fail_next(POST, "is_archived"),
}


def draw_slack_faults(slack: LocalSlack) -> None:
    """Draw a button for each of them, and what is still to come."""
    ui.label("Posts to Slack").classes("text-lg")

    @ui.refreshable
    def listed() -> None:
        for line in pending_lines(slack):
            ui.label(line).classes("dt-note")

    def order(act: Callable[[LocalSlack], None]) -> None:
        act(slack)
        listed.refresh()

    with ui.row():
        for words, act in ORDERS.items():
            ui.button(words, on_click=partial(order, act)).props("outline no-caps")
        calm = ui.button("None of it", on_click=partial(order, _clear)).props("flat no-caps")
        calm.props["aria-label"] = "Let posts to Slack work"
    listed()
    shown = [pending_lines(slack)]

    def look() -> None:
        if shown[0] != (lines := pending_lines(slack)):
            shown[0] = lines
            listed.refresh()

    ui.timer(LOOK_AGAIN_S, look)


def pending_lines(slack: LocalSlack) -> list[str]:
    """Return a line for each fault that is still to come."""
    found = slack.world.faults.pending()
    return [_line(method, fault) for method, fault in found] or ["Every call works."]


def _line(method: str, fault: Fault) -> str:
    what = {
        "drop": "the connection is lost",
        "html": f"status {fault.status}, an error page",
        "slow": f"an answer after {fault.delay_s:g} s",
    }.get(fault.kind, fault.error)
    done = ", though it is done" if fault.after_acting else ""
    calls = "call" if fault.times == 1 else f"{fault.times} calls"
    where = "any method" if method == "*" else method
    return f"The next {calls} of {where}: {what}{done}."


def _clear(slack: LocalSlack) -> None:
    slack.world.faults.clear()
