"""What people let happen to a digest, be it from the list or from a message."""

import structlog

from bot.digests.desk import Desk
from bot.digests.digest import Digest
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import Visitor, require_open
from bot.slack.errors import SlackError
from bot.views.digests.answers import MAYBE_SENT, resumed_line, sent_line

logger = structlog.get_logger()


async def send_digest(
    desk: Desk, conversation: Conversation, digest: Digest, visitor: Visitor
) -> str:
    """Post a digest now; return what to say of it as mrkdwn.

    Raises:
        BotError: nothing was sent; see `Desk.send_now`.
    """
    try:
        await desk.send_now(conversation.workspace, digest.digest_id, by=visitor.editor)
    except SlackError as error:
        if not error.is_outcome_unknown:
            raise
        logger.warning("maybe sent", error=repr(error))
        return MAYBE_SENT
    return sent_line(visitor.channel.name if visitor.channel else None)


async def resume_digest(
    desk: Desk, conversation: Conversation, digest: Digest, visitor: Visitor
) -> str:
    """Let a digest run again; return what to say of it as mrkdwn.

    Raises:
        BotNotInChannelError, ChannelClosedError: it could not post there. Others: see `Desk`.
    """
    require_open(visitor)
    resumed = await desk.resume(conversation.workspace, digest.digest_id, by=visitor.editor)
    return resumed_line(resumed, visitor.member.zone)
