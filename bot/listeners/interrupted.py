"""Whoever waited for an answer of a process that was killed is told so by another one."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BotError
from bot.listeners.conversation import Conversation
from bot.listeners.metadata import written
from bot.listeners.window import AnswerWindow
from bot.pending import Pending, PendingAnswers, Place
from bot.presence import Processes
from bot.slack.calls import update_form
from bot.slack.errors import (
    SlackError,
    SlackRefusedError,
    SlackUnreachableError,
    WorkspaceHeldError,
)
from bot.slack.replies import Origin, Replies
from bot.store.errors import StoreError
from bot.tasks import Tasks
from bot.views.home.window import ANSWER
from bot.views.waiting import interrupted_form, interrupted_message
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# A process may leave hundreds of people behind, and the others have people of their own.
AT_ONCE = 10
# Less than `pending.FIRST_TRY`: nobody else begins before this has ended.
TOLD_WITHIN_S = 30.0


class Interruptions:
    """Looks for them, and tells each once, by whichever way is open.

    Telling that fails for a moment is tried again, by whichever process comes first; so somebody
    may be told twice, when the answer of Slack was lost.
    """

    def __init__(
        self,
        answers: PendingAnswers,
        processes: Processes,
        replies: Replies,
        tasks: Tasks,
        *,
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
    ) -> None:
        self._answers = answers
        self._processes = processes
        self._replies = replies
        self._tasks = tasks
        self._client_for = client_for
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._under_way: set[Place] = set()
        self._is_stopped = False

    async def tick(self) -> None:
        """Show that this process lives, and begin to tell those whom a dead one left waiting.

        To be called every `presence.REFRESH_EVERY_S`, also while the process finishes what it has
        begun. A store that fails is logged, and no more.
        """
        try:
            await self._processes.refresh()
            due = await self._answers.due()
        except StoreError as error:
            logger.warning("cannot look who was left waiting", error=repr(error))
            return
        for place in due:
            if self._processes.is_dead(place.process_id) and place not in self._under_way:
                self._begin(place)

    def stop(self) -> None:
        """Begin to tell nobody any more: others will, or this bot after its next start."""
        self._is_stopped = True

    def _begin(self, place: Place) -> None:
        if not self._is_stopped:
            self._under_way.add(place)
            self._tasks.start(self._see_to(place))

    async def _see_to(self, place: Place) -> None:
        try:
            async with self._turns:
                with structlog.contextvars.bound_contextvars(workspace=str(place.workspace)):
                    await self._take_up(place)
        except BotError as error:
            logger.warning("who was left waiting is told later", error=repr(error))
        finally:
            self._under_way.discard(place)

    async def _take_up(self, place: Place) -> None:
        if (pending := await self._answers.take(place)) is None:
            return
        try:
            async with asyncio.timeout(TOLD_WITHIN_S):
                await self._tell(place.workspace, pending)
        except TimeoutError as error:
            raise SlackUnreachableError("not told in time") from error
        except WorkspaceHeldError:
            raise
        except SlackRefusedError as error:  # the app is gone, or the person
            logger.warning("nobody to tell", what=pending.what, error=repr(error))
        else:
            logger.warning(
                "told that it was interrupted",
                request=pending.request,
                what=pending.what,
                user=pending.user_id,
                process=place.process_id,
            )
        await self._answers.forget(place)

    async def _tell(self, workspace: WorkspaceId, pending: Pending) -> None:
        client = await self._client_for(workspace)
        if _may_redraw(pending) and await _is_told_in_form(client, pending):
            return
        conversation = _conversation(workspace, pending, client, self._replies)
        await conversation.reply(interrupted_message(pending.what, pending.command_line))


def _may_redraw(pending: Pending) -> bool:
    """Whether it is known what stands in the form, so that nothing newer is overwritten."""
    is_form = pending.view_id is not None and pending.messages_url is None
    return is_form and (pending.form_waits or pending.view_hash is not None)


async def _is_told_in_form(client: AsyncWebClient, pending: Pending) -> bool:
    """Say it in the form that they have open; return whether that was done.

    The form of the press may have been drawn anew since, and be filled in: then it stays.
    """
    form = interrupted_form(pending.what, pending.command_line)
    view_hash = None if pending.form_waits else pending.view_hash
    try:
        await update_form(client, pending.view_id or "", form, view_hash=view_hash)
    except SlackError as error:
        logger.info("not in the form", error=repr(error))
        return False
    return True


def _conversation(
    workspace: WorkspaceId, pending: Pending, client: AsyncWebClient, replies: Replies
) -> Conversation:
    """Return the conversation as the other process has left it."""
    origin = Origin(
        pending.user_id,
        pending.channel_id,
        pending.response_url,
        is_message=pending.is_message,
        is_home=pending.is_home,
    )
    window = None
    if pending.messages_url is not None and pending.view_id is not None:
        window = AnswerWindow(
            client=client,
            trigger_id=None,
            messages_url=pending.messages_url,
            metadata=written(workspace, origin, ANSWER),
            view_id=pending.view_id,
        )
    return Conversation(
        workspace=workspace,
        origin=origin,
        client=client,
        replies=replies,
        command_line=pending.command_line,
        takes_place=pending.takes_place,
        window=window,
    )
