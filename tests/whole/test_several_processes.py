"""Several `web` and `worker` processes are one bot to the people who use it."""

import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import aiohttp
import pytest

from tests.whole.digests import digests, make, move_to, next_digest, nine, until_listed
from tests.whole.harness import Harness, running_bot, running_stand_ins, settings_for, until_ready
from tests.whole.test_operating import command
from tests.whole.test_process import ended, log_of, process, stand_ins_in_real_time

pytestmark = pytest.mark.real_time

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@asynccontextmanager
async def two_of_each(folder: Path, database: str) -> AsyncIterator[tuple[Harness, Harness]]:
    """Run two `web` and two `worker`; yield the same harness with the address of each `web`."""
    async with running_stand_ins(folder, database) as app:
        more = settings_for(app.slack, app.tracker, folder, database)
        other = replace(app, settings=app.settings.model_copy(update={"port": more.port}))
        async with running_bot(app), running_bot(other):
            yield app, other


def through(app: Harness) -> Harness:
    """Let Slack send what comes next to that process."""
    app.slack.deliver_to(app.url("/slack/events"))
    return app


async def test_one_web_process_knows_what_the_other_does(tmp_path: Path, database: str) -> None:
    async with two_of_each(tmp_path, database) as (one, other):
        one.account.add("shop.example", health=41)
        await through(one).ask(one.bob, "/domains")
        await through(other).connect()
        kept = await one.answer(one.bob)
        await through(one).ask(one.ada, "/domains")
        await through(other).ask(other.bob, "/adddomain new.example")
        listed = await through(one).ask(one.ada, "/domains")
        for each in (one, other):
            await through(each).bob.press(kept, "Share")
        await one.bob.next_message(where=lambda each: "already" in each.everything)
        statuses = await replayed(one, other)
        await one.ask(one.ada, "/domains help")

    seen_by_all = [each for each in one.bob.messages() if not each.is_ephemeral]
    helps = [each for each in one.ada.messages() if "*/domains* lists" in each.everything]
    assert "1 domain," in kept.everything
    assert "2 domains," in listed.everything
    assert len(seen_by_all) == 1
    assert statuses == [200, 200]
    assert len(helps) == 2  # the one for both requests, and the one that was asked for


async def test_a_press_in_two_processes_is_sent_once(tmp_path: Path, database: str) -> None:
    async with two_of_each(tmp_path, database) as (one, other):
        one.account.add("shop.example", health=41)
        await through(one).connect()
        for each in (one, other):
            await through(each).ask(one.ada, "/domains")
        unknown = await through(one).ask(one.bob, "/scan new.example")
        held = one.tracker.hold_requests()
        await through(one).bob.press(unknown, "Add it")
        await through(other).bob.press(unknown, "Add it")
        await held.waiting()
        await one.bob.next_message(where=lambda each: "already done" in each.everything)
        held.release()
        answer = await one.answer(one.bob)

    assert one.service_requests().count(("POST", "domain-tracker")) == 1
    assert "new.example" in answer.everything


async def replayed(one: Harness, other: Harness) -> list[int]:
    """Send the very same signed request to both processes."""
    typed = next(
        sent.payload for sent in reversed(one.slack.envelopes) if sent.payload.get("command")
    )
    again = typed | {"user_id": one.ada.id, "text": "help", "trigger_id": "replayed"}
    body = urlencode(again).encode()
    headers = one.slack.sign(body) | FORM
    return [(await through(each).slack.raw_post(body, headers))[0] for each in (one, other)]


async def test_of_two_workers_one_posts_each_digest(tmp_path: Path, database: str) -> None:
    channels = ("general", "secret", "shared", "random")
    async with two_of_each(tmp_path, database) as (app, _other):
        app.account.add("shop.example", health=41)
        await app.connect()
        await app.slack.invite_bot("random")
        for channel in channels:
            await make(app, channel=channel)
        for _ in range(2):
            move_to(app, nine(app))
            for channel in channels:
                await next_digest(app, channel=channel)
        for channel in channels:
            await until_listed(app, "posted", app.bob, channel)

    assert [len(digests(app, channel)) for channel in channels] == [2] * 4


async def test_a_worker_only_delivers(tmp_path: Path, database: str) -> None:
    async with (
        stand_ins_in_real_time(tmp_path, database) as app,
        process(app, "worker", LOG_FORMAT="json") as worker,
    ):
        await until_ready(app)
        async with aiohttp.ClientSession() as http:
            async with http.get(app.url("/readyz")) as ready:
                checks = (await ready.json())["checks"]
            async with http.post(app.url("/slack/events"), data=b"{}") as answer:
                status = answer.status
        worker.send_signal(signal.SIGTERM)
        ended_with = await ended(worker)
        events = [json.loads(line) for line in log_of(app).splitlines()]

    assert {"store", "queue", "tick"} <= {*checks}
    assert all(checks.values())
    assert status == 404
    assert ended_with == 0
    assert {"timestamp", "level", "event"} <= {*events[0]}


@pytest.mark.parametrize("role", ["web", "worker"])
async def test_with_a_file_there_is_one_process_only(tmp_path: Path, role: str) -> None:
    async with running_stand_ins(tmp_path, "http") as app:
        said = await command(app, role)

    assert f"`{role}` shares a PostgreSQL with the other processes" in said.err
    assert said.status == 2
