"""What Slack would not take, shown as it would say it."""

import html
from collections.abc import Iterable

from bot.playground.blockkit import Problem
from bot.playground.page.drawing.parts import put


def draw_problem(problems: Iterable[Problem]) -> None:
    """Draw the error that Slack would give, and where each of its reasons stands."""
    put(problems_html(list(problems)), "bk-problem", role="alert")


def problems_html(problems: list[Problem]) -> str:
    """Return the problems, each in the words of Slack's validator with its JSON pointer."""
    items = "".join(
        f"<li>{html.escape(problem.message)}"
        f' <span class="bk-note">[json-pointer:{html.escape(problem.pointer)}]'
        f" {html.escape(problem.code)}</span></li>"
        for problem in problems
    )
    return f"<p><b>invalid_blocks</b> Slack would refuse this.</p><ul>{items}</ul>"
