from bot.playground.blockkit.payload import check_blocks
from bot.playground.blockkit.schema import Problem
from bot.playground.blockkit.surfaces import check_message, check_view

__all__ = ["Problem", "check_blocks", "check_message", "check_view"]
