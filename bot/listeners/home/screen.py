"""The Home tab on somebody's screen: drawn anew, and never by something older."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import structlog
from cachetools import LRUCache
from slack_sdk.web.async_client import AsyncWebClient

from bot.listeners.conversation import Conversation
from bot.listeners.home.collecting import HomeCollector
from bot.listeners.presses import MAX_PLACES, Presses
from bot.portfolio.snapshot import Snapshot
from bot.slack.calls import Member
from bot.slack.errors import FormChangedError, SlackError
from bot.slack.home import publish_home
from bot.slack.replies import Origin, Replies
from bot.views.home.view import HomeView, home_view, trouble_view
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# Whoever waits longer for the domains sees everything else meanwhile.
FIRST_LOOK_AFTER_S = 1.0

ClientFor = Callable[[WorkspaceId], Awaitable[AsyncWebClient]]


@dataclass(kw_only=True)
class HomeScreen:
    """Draws the tab of one person at a time; `draw` and `draw_for` never raise.

    It is drawn with what the service said last, which is asked anew for whoever opens the tab or
    wants that. Of several draws at once the one begun last stays: within this process they are
    numbered, and of what another process draws meanwhile Slack tells by the tab's hash.
    """

    collector: HomeCollector
    replies: Replies
    client_for: ClientFor
    first_look_after_s: float = FIRST_LOOK_AFTER_S
    _draws: Presses = field(default_factory=Presses, init=False)
    _pages: LRUCache[str, int] = field(default_factory=lambda: LRUCache(MAX_PLACES), init=False)
    _anew: LRUCache[str, bool] = field(default_factory=lambda: LRUCache(MAX_PLACES), init=False)

    def turn(self, conversation: Conversation, page: int) -> None:
        """Let the next draws for this person show another page of digests."""
        self._pages[_name(conversation)] = page

    def look_as_of(self, conversation: Conversation, view_hash: str | None) -> None:
        """Note what the person has before them: only that may be replaced without looking."""
        if view_hash:
            self._draws.note_drawn(_name(conversation), view_hash)

    def look_anew(self, conversation: Conversation) -> None:
        """Let the next draw for this person ask the service how the domains are now.

        Those that begin before that is drawn wait for the same answer.
        """
        self._anew[_name(conversation)] = True

    def forget(self, workspace: WorkspaceId) -> None:
        """Remember nothing of what a workspace's people have before them."""
        beginning = f"{workspace}/"
        self._draws.forget(beginning)
        for name in [each for each in (*self._pages, *self._anew) if each.startswith(beginning)]:
            self._pages.pop(name, None)
            self._anew.pop(name, None)

    async def draw_for(self, workspace: WorkspaceId, user_id: str) -> None:
        """Show a person what has changed: see `Homes.draw_by`."""
        with structlog.contextvars.bound_contextvars(
            workspace=str(workspace), user=user_id, what="home"
        ):
            try:
                client = await self.client_for(workspace)
            except SlackError as error:
                logger.warning("Home was not drawn", error=repr(error))
                return
            await self.draw(self._visit(workspace, user_id, client))

    async def draw(self, conversation: Conversation) -> None:
        """Show whoever asks what there is now.

        The service is asked where that was wanted, or where it has said nothing yet; when that
        takes long, what is there without it comes first. What the conversation was about before
        does not matter here.
        """
        visit = self._visit(
            conversation.workspace, conversation.origin.user_id, conversation.client
        )
        number = self._draws.note(_name(visit))
        try:
            await self._draw(visit, number)
        except FormChangedError as error:
            logger.warning("Home was not drawn", error=repr(error))
        except Exception as error:  # nobody may be left with an empty tab
            if not isinstance(error, SlackError):
                logger.exception("unforeseen failure")
            with contextlib.suppress(FormChangedError):  # what came meanwhile is no worse
                await self._show_trouble(visit, number, error)

    async def _draw(self, visit: Conversation, number: int) -> None:
        name = _name(visit)
        is_anew = name in self._anew
        try:
            await self._show_page(visit, number, is_anew=is_anew)
        except FormChangedError:  # another process drew it since we last did: look again
            self._draws.note_drawn(name, None)
            await self._show_page(visit, number, is_anew=False)
        finally:
            if is_anew:
                self._anew.pop(name, None)

    async def _show_page(self, visit: Conversation, number: int, *, is_anew: bool) -> None:
        member = await _meet(visit)
        if member.is_stranger:
            await self._show(visit, number, None)
            return
        known = None if is_anew else await self.collector.known(visit.workspace)
        await self._show(visit, number, known or await self._asked(visit, number))

    async def _asked(self, visit: Conversation, number: int) -> Snapshot | Exception:
        asking = asyncio.create_task(self.collector.ask(visit.workspace))
        try:
            if not await _is_done(asking, self.first_look_after_s):
                await self._show(visit, number, None)
                await asyncio.wait({asking})
                await _meet(visit)  # they may no longer be what they were when they began to wait
            return await asking
        finally:
            asking.cancel()

    async def _show(
        self, visit: Conversation, number: int, domains: Snapshot | Exception | None
    ) -> None:
        name = _name(visit)
        if not self._draws.is_latest(name, number):
            return
        page = await self.collector.look(visit, self._pages.get(name, 0), domains)
        # Counting 10,000 domains takes some milliseconds: off the loop.
        await self._publish(visit, number, await asyncio.to_thread(home_view, page))

    async def _show_trouble(self, visit: Conversation, number: int, error: Exception) -> None:
        told = await self.collector.explained(visit, error)
        self._draws.note_drawn(_name(visit), None)
        await self._publish(visit, number, trouble_view(told))

    async def _publish(self, visit: Conversation, number: int, view: HomeView) -> None:
        name = _name(visit)
        async with self._draws.turn(name):
            if not self._draws.is_latest(name, number):
                return
            try:
                view_hash = await publish_home(
                    visit.client,
                    visit.origin.user_id,
                    view.view,
                    view.twin,
                    view_hash=self._draws.drawn_hash(name, number),
                )
            except FormChangedError:
                raise
            except SlackError as error:  # what Slack does not say comes as one, too: see `draw`
                logger.warning("Home was not drawn", error=repr(error))
                return
            self._draws.note_drawn(name, view_hash)

    def _visit(self, workspace: WorkspaceId, user_id: str, client: AsyncWebClient) -> Conversation:
        return Conversation(
            workspace=workspace, origin=Origin(user_id), client=client, replies=self.replies
        )


async def _meet(visit: Conversation) -> Member:
    """Ask Slack anew who looks, for all that is drawn until the next time."""
    visit.member = None
    visit.member = await visit.fetch_member()
    return visit.member


async def _is_done(task: "asyncio.Task[Any]", within_s: float) -> bool:
    done, _ = await asyncio.wait({task}, timeout=within_s)
    return bool(done)


def _name(conversation: Conversation) -> str:
    return f"{conversation.workspace}/{conversation.origin.user_id}"
