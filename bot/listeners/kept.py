"""What people typed before there was a key, run as soon as there is one."""

from slack_sdk.web.async_client import AsyncWebClient

from bot.kept import KeptCommands
from bot.listeners.command_lines import CommandLines
from bot.listeners.conversation import Conversation
from bot.slack.replies import Origin, Replies
from bot.workspace import WorkspaceId


class KeptRuns:
    """Runs the kept commands of a workspace, each for the person who typed it."""

    def __init__(self, kept: KeptCommands, lines: CommandLines, replies: Replies) -> None:
        self._kept = kept
        self._lines = lines
        self._replies = replies

    async def run_all(self, workspace: WorkspaceId, client: AsyncWebClient) -> None:
        """Start every command that is still young enough; each answers where it was typed.

        One that opens a form cannot do so now, nobody has just pressed anything: its person
        gets a button instead.
        """
        for command in await self._kept.take_all(workspace):
            conversation = Conversation(
                workspace=workspace,
                origin=Origin(command.user_id, command.channel_id, command.response_url),
                client=client,
                replies=self._replies,
            )
            self._lines.run(conversation, f"{command.command} {command.text}".strip())
