"""What people read when there is no answer yet, or none any more. Pure."""

from bot.message import Message
from bot.views.blocks import actions, run_button, section


def working_message() -> Message:
    """Return what is said when an answer takes longer than a few seconds."""
    text = "⏳ Still at it. I will answer here."
    return Message(text, (section(text),))


def old_button_message() -> Message:
    """Return the answer to a button whose command is gone."""
    text = "That button is from an older version of me. Please type the command instead."
    return Message(text, (section(text),))


def done_message() -> Message:
    """Return what takes the place of "still at it" when the answer is somewhere else."""
    text = "Done."
    return Message(text, (section(text),))


def stopping_message(command_line: str | None) -> Message:
    """Return the answer to whoever is still waiting when the bot has to stop."""
    text = "I am being restarted and could not finish this. Please try again in a minute."
    again = run_button("Try again", command_line) if command_line else None
    return Message(text, (section(text), *actions(again)))


def exposed_key_message() -> Message:
    """Return the answer to a command with a key or token in it; nothing of it is repeated."""
    text = (
        "There is a key or a token in what you typed, so I did nothing with it. Treat it as"
        " exposed: delete it where it was made, and make a new one. Admins set the workspace's"
        " key with `/domainkey`, in a private form."
    )
    return Message(text.replace("`", ""), (section(text),))


def shared_already_message() -> Message:
    """Return the answer to a second press of `Share`."""
    text = "This is shared with the channel already."
    return Message(text, (section(text),))
