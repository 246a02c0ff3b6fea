"""A bot whose store knows nothing of its workspace warns its operator, and tells no person."""

import asyncio
from pathlib import Path

import pytest

from tests.fakes import TIME_LIMIT_S
from tests.whole.harness import running_bot, running_stand_ins


async def test_an_empty_store_is_logged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ""
    async with running_stand_ins(tmp_path, "socket") as app, running_bot(app):
        async with asyncio.timeout(TIME_LIMIT_S):
            while "the store knows nothing of this workspace" not in said:
                await asyncio.sleep(0.01)
                said += capsys.readouterr().out
        await app.ask(app.bob, "/domains help")

        assert not [*app.ada.messages("dm"), *app.slack.person("olga").messages("dm")]
