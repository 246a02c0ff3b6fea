from bot.playground.page.drawing.blocks import draw_blocks, draw_text
from bot.playground.page.drawing.mrkdwn import mrkdwn_html
from bot.playground.page.drawing.problems import draw_problem
from bot.playground.page.drawing.sheet import Conversation, Hands, Names
from bot.playground.page.drawing.style import STYLE

__all__ = [
    "STYLE",
    "Conversation",
    "Hands",
    "Names",
    "draw_blocks",
    "draw_problem",
    "draw_text",
    "mrkdwn_html",
]
