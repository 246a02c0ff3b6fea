"""Handle what people type behind `/domaindigest`: a new digest, or an act on one by its name."""

from dataclasses import dataclass, replace

from bot.blocks.builders import plain_message, run_button
from bot.blocks.message import Message
from bot.blocks.text import code
from bot.digests.access import is_channel, require_open
from bot.digests.form_listeners import DigestFormListeners, zone_of_member
from bot.digests.line import Line, line_of, plan_of, read_line, verb_in
from bot.digests.listeners import DigestListeners
from bot.digests.models import Digest
from bot.digests.screen import FormNote
from bot.digests.views import modal, tables
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.slack.errors import TriggerExpiredError


@dataclass(frozen=True, slots=True)
class DigestLineListeners:
    """The listener of the command: without text it opens the list."""

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
        member = await self.form.access.require_member(request)
        request = replace(request, member=member)
        line = read_line(text, zone=zone_of_member(member))
        if line.problems:
            await self._show_problems(request, text, line)
            return
        channel_id = request.origin.channel_id or ""
        access = self.form.access
        if line.is_own:
            channel_id, visitor = await access.require_own(request)
        else:
            visitor = await access.require_editor(request, channel_id)
        plan = plan_of(line.draft, channel_id)
        require_open(visitor, plan)
        made, is_announced = await self.form.digests.make(
            request.workspace, plan, by=visitor.editor
        )
        await request.reply(
            modal.made_message(
                made,
                member.zone,
                is_announced=is_announced,
                has_outsiders=visitor.has_outsiders,
                line=line_of(made.plan),
            )
        )

    async def _show_problems(self, request: Request, text: str, line: Line) -> None:
        """Name what was not understood, and open the form with the rest."""
        channel_id = request.origin.channel_id
        note = FormNote(channel_id=channel_id if is_channel(channel_id) else None)
        request = request.with_note(note.as_text())
        busy = tables.busy_form(modal.LOOKING, request.as_metadata(request.note))
        said = modal.not_understood_text(line.problems, line.understood)
        try:
            request.answer.view_id = await request.open_form(busy)
        except TriggerExpiredError:
            await request.reply(_behind_button(said, text))
            return
        draft = line.draft
        if line.is_own:
            own_id, _ = await self.form.access.require_own(request)
            draft = replace(draft, channel_id=own_id)
        await self.form.open_line(request, draft, said)

    async def _act(self, request: Request, verb: str, name: str) -> None:
        """Pause, resume, send or delete the digest of this name, and answer with its line."""
        named = await self._named(request)
        digest = next(
            (each for each in named if each.plan.name.casefold() == name.casefold()), None
        )
        if digest is None:
            await request.reply(_no_such_name(verb, name, named))
            return
        acts = {
            "pause": self.listed.pause_openly,
            "resume": self.listed.resume,
            "send": self.listed.send,
            "delete": self.listed.delete,
        }
        await self.listed.in_message(acts[verb])(request, digest.digest_id)

    async def _named(self, request: Request) -> list[Digest]:
        """Return the digests with a name that the person may see here, their own last."""
        channel_id = request.origin.channel_id or ""
        visitor = await self.form.access.require_visitor(request, channel_id)
        digests = await self.form.digests.of_channel(request.workspace, channel_id)
        user_id = visitor.member.user_id
        there = [
            each
            for each in digests
            if not each.plan.is_own and (not visitor.sees_own_only or each.made_by == user_id)
        ]
        own = await self.form.digests.own_of(request.workspace, user_id)
        return [each for each in (*there, *own) if each.plan.name]


def _behind_button(said: str, text: str) -> Message:
    return plain_message(said, run_button("Open form", f"/domaindigest {text}"))


def _no_such_name(verb: str, name: str, named: list[Digest]) -> Message:
    """Return the answer to an unknown name: those that there are."""
    first = f"No digest here is called {code(name, 80)}." if name else f"{verb} needs a name."
    known = [code(each.plan.name, 80) for each in named]
    rest = f"There are: {', '.join(known)}." if known else "None of the digests here has a name."
    return plain_message(f"{first} {rest}")
