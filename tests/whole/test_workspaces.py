"""One bot in many workspaces: installed by OAuth side by side, and gone without a trace."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.playground.slack import Message
from bot.store.documents import Document
from bot.tracker.slots import SCANS_EACH
from tests.fakes import TIME_LIMIT_S
from tests.stores import read_file
from tests.whole.digests import at_nine, make
from tests.whole.harness import bytes_at_rest, running_bot, settings_for, text_in_store
from tests.whole.impersonation import marks, send_as, use_everything
from tests.whole.many import ALONE, IN_ORG, Many, many_stand_ins, running_many


async def stored(many: Many) -> list[Document]:
    return await read_file(many.settings.database_path)


def of(documents: list[Document], team_id: str) -> dict[str, Any]:
    return {each.key: each.value for each in documents if f".{team_id}/" in each.key}


def of_people(documents: list[Document], team_id: str) -> dict[str, Any]:
    """The same without what the bot itself counts there, and notes while it works."""
    own = ("/usage/", "/budget", "/pending/")
    return {
        key: value
        for key, value in of(documents, team_id).items()
        if not any(each in key for each in own)
    }


async def until_gone(many: Many, team_id: str) -> None:
    async with asyncio.timeout(TIME_LIMIT_S):
        while of(await stored(many), team_id):
            pass


async def until_no_byte(folder: Path, *traces: str) -> None:
    """Wait until the files hold none of this: what was deleted is wiped soon after."""
    async with asyncio.timeout(TIME_LIMIT_S):
        while _holds(await asyncio.to_thread(bytes_at_rest, folder), traces):
            pass


def _holds(content: bytes, traces: Iterable[str]) -> bool:
    return any(trace.encode() in content for trace in traces)


async def test_the_scans_of_one_workspace_leave_places_to_the_others(tmp_path: Path) -> None:
    async with running_many(tmp_path, ("amber", "birch")) as many:
        amber, birch = [await many.settle(name) for name in ("amber", "birch")]
        for number in range(SCANS_EACH):
            amber.account.add(f"d{number}.example")
        held = many.tracker.hold_scans()
        for number in range(SCANS_EACH):
            await amber.bob.type(f"/scan d{number}.example")
        await held.waiting(SCANS_EACH)

        await amber.ada.type("/scan shop.amber.example")
        await amber.ada.next_message(where=lambda each: "waits" in each.everything)
        await birch.bob.type("/scan shop.birch.example")
        await held.waiting(SCANS_EACH + 1)
        held.release()
        for person in (amber.ada, birch.bob):
            await person.next_message(where=lambda each: "Scan of shop." in each.everything)


async def test_workspaces_and_an_organisation_use_one_bot_side_by_side(tmp_path: Path) -> None:
    async with running_many(tmp_path, in_org=IN_ORG) as many:
        for name in ALONE:
            await many.settle(name)
        await many.install(IN_ORG[0], by="olga", org_wide=True)
        for name in IN_ORG:
            await many.grant(name)
            await many.furnish(name)

        for name in (*ALONE, *IN_ORG):
            answer = await many[name].ask(many[name].bob, "/domains")
            assert f"shop.{name}.example" in answer.everything
            others = [other for other in (*ALONE, *IN_ORG) if other != name]
            assert not any(other in answer.everything for other in others)


async def test_ids_do_not_open_another_workspace(tmp_path: Path) -> None:
    async with running_many(tmp_path, ALONE[:2]) as many:
        amber, birch = await many.settle("amber"), await many.settle("birch")
        payloads = await use_everything(amber)
        await asyncio.sleep(30)  # virtual: what was begun comes to its end
        before = await stored(many)
        calls = len(many.slack.calls)
        many.tracker.requests.clear()
        for payload in payloads:
            await send_as(birch.slack, birch.ada, payload)
            await send_as(birch.slack, birch.bob, payload)
    after = await read_file(many.settings.database_path)

    assert len(payloads) > 40
    assert of_people(after, amber.slack.team_id) == of_people(before, amber.slack.team_id)
    assert birch.slack.team_id not in str(of(after, amber.slack.team_id))
    made = many.slack.calls[calls:]
    seen_in_birch = [call for call in made if call.team_id != amber.slack.team_id]
    # What was begun in the other workspace may end only now, by the bot itself.
    others = {call.method for call in made if call not in seen_in_birch}
    assert others <= {"users.info", "views.publish", "views.update"}
    assert len(seen_in_birch) > 40
    text = json.dumps([call.arguments for call in seen_in_birch], ensure_ascii=False)
    assert not [mark for mark in marks(amber) if mark in text]


async def test_workspaces_come_and_go_on_a_shared_database(tmp_path: Path, database: str) -> None:
    async with running_many(tmp_path, ALONE[:2], transport=database) as many:
        amber, birch = await many.settle("amber"), await many.settle("birch")
        answer = await amber.ask(amber.bob, "/domains")
        assert "shop.amber.example" in answer.everything
        assert "birch" not in answer.everything

        await amber.slack.uninstall()
        async with asyncio.timeout(TIME_LIMIT_S):
            while b"T0AMBER" in await text_in_store(amber):
                pass

        answer = await birch.ask(birch.bob, "/domains")
        assert "shop.birch.example" in answer.everything


async def test_an_uninstalled_workspace_leaves_no_byte(tmp_path: Path) -> None:
    async with running_many(tmp_path, ALONE[:2]) as many:
        amber, birch = await many.settle("amber"), await many.settle("birch")
        await use_everything(amber)
        await make(birch)
        await at_nine(amber)

        await amber.slack.uninstall()
        await until_gone(many, amber.slack.team_id)

        await until_no_byte(tmp_path, amber.slack.team_id, "amber")
        assert b"birch" in bytes_at_rest(tmp_path)
        await birch.bob.type("/domains")
        answer = await birch.bob.next_message(where=lambda message: message.is_ephemeral)
        assert "shop.birch.example" in answer.everything


async def test_nothing_is_asked_for_a_workspace_that_revoked_the_tokens(tmp_path: Path) -> None:
    async with running_many(tmp_path, ALONE[:2]) as many:
        amber, birch = await many.settle("amber"), await many.settle("birch")
        for app in (amber, birch):
            await make(app)
        await amber.slack.uninstall(order=["tokens_revoked"])
        many.tracker.requests.clear()

        await at_nine(birch)
        async with asyncio.timeout(TIME_LIMIT_S):
            while not any(sent.method == "POST" for sent in many.tracker.requests):  # of a night
                birch.clock.ahead += timedelta(minutes=30)
                await asyncio.sleep(1)

        asked = {(sent.account, sent.method) for sent in many.tracker.requests}
        assert asked == {("birch", "GET"), ("birch", "POST")}


async def test_an_organisation_that_removes_the_app_leaves_nothing(tmp_path: Path) -> None:
    async with running_many(tmp_path, ALONE[:1], in_org=IN_ORG) as many:
        amber = await many.settle("amber")
        await many.install("delta", by="olga", org_wide=True)
        for name in IN_ORG:
            await many.grant(name)
            await many.furnish(name)
        assert many.org is not None

        await many.org.uninstall()
        for name in IN_ORG:
            await until_gone(many, many[name].slack.team_id)

        await until_no_byte(tmp_path, *IN_ORG, many.org.id)
        answer = await amber.ask(amber.bob, "/domains")
        assert "shop.amber.example" in answer.everything


async def test_a_bot_that_lost_its_store_says_how_to_install_it_again(tmp_path: Path) -> None:
    async with many_stand_ins(tmp_path, ALONE[:1]) as many:
        async with running_bot(many["amber"]):
            amber = await many.settle("amber")
        elsewhere = {"database_url": f"sqlite:///{tmp_path}/new.sqlite"}
        lost = replace(amber, settings=amber.settings.model_copy(update=elsewhere))
        async with running_bot(lost):
            await amber.bob.type("/domains")
            answer = await amber.bob.next_message()

            assert f"{many.settings.public_url}/slack/install" in answer.everything
            await many.install("amber")
            await amber.ada.next_message("dm", where=_is_greeting)


async def test_going_over_from_one_token_keeps_what_was_set_up(tmp_path: Path) -> None:
    async with many_stand_ins(tmp_path, ALONE[:1]) as many:
        many.move_in("home", many.slack, admin="ada")
        home = many["home"]
        one = settings_for(many.slack, many.tracker, tmp_path, "http")
        async with running_bot(replace(home, settings=one)):
            await many.furnish("home")
            await make(home)
        async with running_bot(home):
            await many.install("home")
            greeting = await home.ada.next_message("dm", where=_is_welcome_back)
            await home.bob.type("/domains")
            answer = await home.bob.next_message(where=lambda message: message.is_ephemeral)

    assert "The key and the digests are as they were" in greeting.everything
    assert "shop.home.example" in answer.everything


def _is_welcome_back(message: Message) -> bool:
    return "elcome back" in message.everything


def _is_greeting(message: Message) -> bool:
    return "installed" in message.everything
