"""Handle what people type behind `/domaindigest`: a new digest, or an act on one by its name."""

from dataclasses import dataclass, replace
from functools import partial

from bot.blocks.builders import plain_message, run_button
from bot.blocks.message import Message
from bot.blocks.text import code
from bot.digests.access import is_channel
from bot.digests.draft import plan_of
from bot.digests.form_listeners import DigestFormListeners, zone_of_member
from bot.digests.line import Line, read_line, verb_in
from bot.digests.listeners import DigestListeners
from bot.digests.models import Digest
from bot.digests.views import modal
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.slack.errors import TriggerExpiredError


@dataclass(frozen=True, slots=True)
class DigestLineListeners:
    """The listener of the command."""

    listed: DigestListeners
    form: DigestFormListeners

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.command("/domaindigest", self.run)

    async def run(self, request: Request, text: str) -> None:
        """Open the list, act on the digest of a name, or make the digest that the text says."""
        if not text.strip():
            await self.listed.open_list(request)
        elif act := verb_in(text):
            await self._act(request, *act)
        else:
            await self._make(request, text)

    async def _make(self, request: Request, text: str) -> None:
        access = self.form.access
        member = await access.require_member(request)
        request = replace(request, member=member)
        line = read_line(text, zone=zone_of_member(member))
        if line.problems:
            await self._show_problems(request, text, line)
            return
        channel_id = request.origin.channel_id or ""
        if line.is_own:
            channel_id, visitor = await access.require_own(request)
        else:
            visitor = await access.require_editor(request, channel_id)
        plan = plan_of(replace(line.draft, channel_id=channel_id))
        await self.form.make(request, plan, visitor)

    async def _show_problems(self, request: Request, text: str, line: Line) -> None:
        """Name what was not understood, and open the form with the rest."""
        channel_id, draft = request.origin.channel_id, line.draft
        listed = channel_id if is_channel(channel_id) else None
        said = modal.not_understood_text(line.problems, line.understood)
        try:
            request, view_id = await self.form.screen.open_busy(request, listed)
        except TriggerExpiredError:
            again = run_button("Open form", f"/domaindigest {text}")
            await request.reply(plain_message(said, again))
            return
        request.answer.view_id = view_id
        if line.is_own:
            own_id, _ = await self.form.access.require_own(request)
            draft = replace(draft, channel_id=own_id)
        opening = partial(self.form.open, line=said)
        await self.form.screen.in_form(opening)(request, draft)

    async def _act(self, request: Request, verb: str, name: str) -> None:
        """Pause, resume, send or delete the digest of this name, and answer with its line."""
        channel_id = request.origin.channel_id or ""
        visitor = await self.form.access.require_visitor(request, channel_id)
        seen = await self.form.screen.seen_digests(request, channel_id, visitor)
        by_name = {each.plan.name.casefold(): each for each in reversed(seen) if each.plan.name}
        digest = by_name.get(name.casefold())
        if digest is None:
            await request.reply(_no_such_name(verb, name, [*reversed(by_name.values())]))
            return
        acts = {
            "pause": self.listed.pause_openly,
            "resume": self.listed.resume,
            "send": self.listed.send,
            "delete": self.listed.delete,
        }
        await self.listed.in_message(acts[verb])(request, digest.digest_id)


def _no_such_name(verb: str, name: str, named: list[Digest]) -> Message:
    """Return the answer to an unknown name: those that there are."""
    first = f"No digest here is called {code(name, 80)}." if name else f"{verb} needs a name."
    known = [code(each.plan.name, 80) for each in named]
    rest = f"There are: {', '.join(known)}." if known else "None of the digests here has a name."
    return plain_message(f"{first} {rest}")
