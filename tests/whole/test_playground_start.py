"""The playground begins with a portfolio that was scanned."""

from pathlib import Path

from bot.playground.run import running_playground_bot
from bot.playground.sandbox import Sandbox, running_sandbox


def scores(sandbox: Sandbox) -> dict[str, object]:
    records = sandbox.tracker.account("northwind").domains.values()
    return {each.domain: each.health for each in records}


async def test_the_first_list_of_what_expires_is_not_empty(tmp_path: Path) -> None:
    async with (
        running_sandbox(portfolios=["northwind"]) as sandbox,
        running_playground_bot(sandbox, tmp_path / "bot.sqlite"),
    ):
        health = scores(sandbox)
        await sandbox.connect("northwind")
        await sandbox.scan_all("northwind")
        bob = sandbox.slack.person("bob")
        await bob.type("/domains expires:30")
        answer = await bob.next_message(where=lambda each: "⏳" not in each.everything)

        assert "soonest to expire first" in answer.everything
        assert scores(sandbox) == health
        assert sandbox.slack.person("ada").messages("dm") == []
