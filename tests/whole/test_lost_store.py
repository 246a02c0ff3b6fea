"""A bot that is in channels while its store is empty says so, once."""

from pathlib import Path

import pytest

from tests.whole.harness import running_bot, running_stand_ins

pytestmark = pytest.mark.anyio


async def test_whoever_is_in_charge_is_told_once_that_the_store_is_empty(tmp_path: Path) -> None:
    async with running_stand_ins(tmp_path, "socket") as app:
        owner = app.slack.person("olga")
        async with running_bot(app):
            text = await owner.next_message("dm")
        async with running_bot(app):
            await app.ask(app.bob, "/domains help")

        assert (
            "store is empty" in text.everything
            or "knows nothing of this workspace" in text.everything
        )
        assert len(owner.messages("dm")) == 1
        assert not app.ada.messages("dm")
