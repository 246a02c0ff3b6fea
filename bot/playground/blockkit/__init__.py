from bot.playground.blockkit.messages import check_message
from bot.playground.blockkit.payload import check_blocks
from bot.playground.blockkit.problems import Problem
from bot.playground.blockkit.views import check_view

__all__ = ["Problem", "check_blocks", "check_message", "check_view"]
