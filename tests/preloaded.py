"""All that a process of the bot imports, for those who are forked from it (tests/processes.py)."""

import gc

import bot.app.main
import bot.ops.commands
import bot.settings

__all__ = ["bot"]

# What lies here from now on is never walked through again, nor copied into those who are forked.
gc.collect()
gc.freeze()
