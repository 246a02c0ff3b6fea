from bot.playground.blockkit.payload import check_blocks, check_message, check_view
from bot.playground.blockkit.schema import Problem

__all__ = ["Problem", "check_blocks", "check_message", "check_view"]
