"""Go on after a key was saved: say what to do next, and run what waited for a key."""

import secrets
from dataclasses import dataclass

from bot.digests.access import is_channel
from bot.digests.service import DigestService
from bot.dispatch.command_lines import CommandLines
from bot.dispatch.kept_commands import KeptCommands
from bot.dispatch.request import Request, draw_or_reply
from bot.domainkey import form_views as forms
from bot.domainkey.service import KeyCheck
from bot.domainkey.views import first_steps_message, saved_message
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.errors import log_and_suppress
from bot.scans.nightly import NightlySetting
from bot.slack.client import Member
from bot.slack.errors import SlackError
from bot.store.documents import StoreError


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSteps:
    """Goes on after a key was saved.

    After the first key of a workspace it offers to scan all domains, and to make a digest.
    """

    tracker: WorkspaceTracker
    nightly_setting: NightlySetting
    kept_commands: KeptCommands
    lines: CommandLines
    digests: DigestService

    async def show(self, request: Request, check: KeyCheck, member: Member) -> None:
        """Show `member`, who saved a key, the next step, and go on with what waits for one."""
        earlier, saved = check.pair.earlier, saved_message(check.record, check.domains)
        if earlier:
            metadata = request.as_metadata()
            form = forms.second_step(check.record, earlier, check.domains, metadata)
        else:
            form = forms.saved_form(check.record, check.domains)
        is_first = await self._begin_scans(request, member) and not earlier
        is_told = is_first and await self._offer(request, check)
        await draw_or_reply(request, form, None if is_told else saved)
        kept = await self.kept_commands.take_all(request.workspace)
        self.lines.run_kept(request.workspace, request.client, kept)
        await self.digests.retry_waiting(request.workspace)

    async def _begin_scans(self, request: Request, member: Member) -> bool:
        """Begin nightly scans; return whether that is new."""
        with log_and_suppress("nightly scans are not begun", StoreError):  # the key is saved
            return await self.nightly_setting.begin(request.workspace, member.zone)
        return False

    async def _offer(self, request: Request, check: KeyCheck) -> bool:
        """Say what to do after the first key; return whether that was sent."""
        with log_and_suppress("no first steps", StoreError, SlackError):  # the key is saved
            allowance = await self.tracker.allowance(request.workspace)
            digest_id = secrets.token_hex(6) if is_channel(request.origin.channel_id) else ""
            await request.reply(
                first_steps_message(check.record, check.domains, allowance, digest_id=digest_id)
            )
            return True
        return False
