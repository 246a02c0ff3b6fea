"""The base class of every error that the bot raises on purpose."""


class BotError(Exception):
    """Something failed in a way that the bot foresaw and can explain to a person.

    `str(error)` is for the log and never for a person: `bot/views/failure.py` holds the
    sentences. It must therefore hold no secret, and may hold what an operator needs.
    """


class NotAllowedError(BotError):
    """The person may not do this: only admins and owners of the workspace may."""


class StrangerError(BotError):
    """The person belongs to another workspace, met in a shared channel."""


class UnknownWorkspaceError(Exception):
    """The bot serves no such workspace; here `str(error)` is for the person who asked."""
