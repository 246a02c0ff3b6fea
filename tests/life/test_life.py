"""A short life, and for each check a fault that it finds."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.app import main as app
from bot.app.bolt import TimedApp
from bot.digests import alert_life, collector, repository
from bot.digests.repository import decode_digest
from bot.digests.run_state import due_at
from bot.digests.views import alert
from bot.digests.worker import DigestWorker
from bot.dispatch import router
from bot.dispatch.request import Answer, Request
from bot.domains.service import Portfolio
from bot.slack.posting import Posting
from bot.store.encryption import KeyRing
from bot.store.fenced import FencedDocuments
from bot.tracker import facts, rate_limit
from bot.tracker.client import TrackerClient
from bot.tracker.scan_facts import Knowledge
from tests.life.story import lived

SEEDS = 20
SELDOM_S = 300.0
Patch = pytest.MonkeyPatch


def test_some_days_are_well() -> None:
    assert lived(1, 0.5, steps_a_day=40, tick_s=SELDOM_S) == ""


def ack_late(patch: Patch) -> None:
    dispatch = TimedApp.async_dispatch

    async def late(bolt: Any, request: Any) -> Any:
        await asyncio.sleep(3.2)
        return await dispatch(bolt, request)

    patch.setattr(TimedApp, "async_dispatch", late)


def answer_nothing(patch: Patch) -> None:
    async def nothing(*_args: Any) -> None:
        pass

    patch.setattr(Request, "reply", nothing)


def do_twice(kind: type, name: str) -> Callable[[Patch], None]:
    once = getattr(kind, name)

    async def twice(*args: Any, **how: Any) -> Any:
        await once(*args, **how)
        return await once(*args, **how)

    return lambda patch: patch.setattr(kind, name, twice)


def draw_once(patch: Patch) -> None:
    patch.setattr(router, "DRAWN_AGAIN_AFTER_S", 1e9)


def open_wrong_forms(patch: Patch) -> None:
    opened = Request.open_form

    async def wrong(request: Any, form: Any) -> Any:
        return await opened(request, {**form, "blocks": [{"type": "nonsense"}]})

    patch.setattr(Request, "open_form", wrong)


def run_nothing(patch: Patch) -> None:
    async def nothing(_worker: Any) -> None:
        pass

    patch.setattr(DigestWorker, "run_due", nothing)


def run_with_an_error(patch: Patch) -> None:
    async def fail(_worker: Any) -> None:
        raise RuntimeError("planted")

    patch.setattr(DigestWorker, "run_due", fail)


def forget_pauses(patch: Patch) -> None:
    read = repository.decode_digest
    patch.setattr(
        repository, "decode_digest", lambda value, rev: read({**value, "pause": None}, rev)
    )
    patch.setattr(
        repository,
        "due_at",
        lambda digest: due_at(decode_digest(repository._encoded(digest) | {"pause": None}, 1)),
    )


def spend_all(patch: Patch) -> None:
    patch.setattr(rate_limit.RateLimiter, "_probe_reserve", lambda *_: None)


def seal_nothing(patch: Patch) -> None:
    patch.setattr(KeyRing, "encrypt", lambda _ring, text, *_about: text)
    patch.setattr(KeyRing, "decrypt", lambda _ring, text, *_about: text)


def list_of_another(patch: Patch) -> None:
    snapshot, first = Portfolio.snapshot, []

    async def mixed(portfolio: Any, workspace: Any, *args: Any, **how: Any) -> Any:
        first.append(workspace)
        return await snapshot(portfolio, first[0], *args, **how)

    patch.setattr(Portfolio, "snapshot", mixed)


def forget_nothing(patch: Patch) -> None:
    async def nothing(_documents: Any, _prefix: str) -> int:
        return 0

    patch.setattr(FencedDocuments, "delete_prefix", nothing)


def be_blind(patch: Patch) -> None:
    patch.setattr(facts, "_issues", lambda _readings: [])
    patch.setattr(facts, "_issue_knowledge", lambda *_args: Knowledge.NONE)


def name_no_taker(patch: Patch) -> None:
    patch.setattr(alert, "_states", lambda *_args: [])


def hear_no_snooze(patch: Patch) -> None:
    patch.setattr(collector, "silences", lambda *_args: ())


def mention_all_the_same(patch: Patch) -> None:
    take = alert_life.take

    def taken(alert: Any, *args: Any, **how: Any) -> Any:
        return replace(take(alert, *args, **how), remind_at=alert.remind_at)

    patch.setattr(alert_life, "take", taken)


def write_half(patch: Patch) -> None:
    whole = repository.encode_digest

    def half(digest: Any) -> dict[str, Any]:
        return {key: value for key, value in whole(digest).items() if key != "next"}

    patch.setattr(repository, "encode_digest", half)


def leave_a_task(patch: Patch) -> None:
    finish = app._finish

    async def busy(*args: Any) -> None:
        asyncio.get_running_loop().create_task(asyncio.sleep(1e6))
        await finish(*args)

    patch.setattr(app, "_finish", busy)


@pytest.mark.parametrize(
    ("plant", "found", "steps", "days", "first"),
    [
        (ack_late, "ack", "command", 0.1, 1),
        (answer_nothing, "answer: none", "command", 0.1, 1),
        (do_twice(Answer, "_send"), "answer: twice", "command", 0.3, 1),
        (draw_once, "please wait", "late_acks", 0.5, 1),
        (open_wrong_forms, "call", "command", 0.3, 1),
        (run_nothing, "slot: neither", "digest", 1.5, 2),
        (do_twice(Posting, "post"), "twice", "digest", 0.5, 2),
        (forget_pauses, "digest", "digest manage", 1.5, 5),
        (do_twice(TrackerClient, "scan"), "write", "command", 0.5, 1),
        (spend_all, "reserve", "reserve", 0.5, 1),
        (seal_nothing, "secret", "command", 0.1, 1),
        (list_of_another, "workspaces", "command", 0.3, 1),
        (forget_nothing, "uninstalled", "uninstall", 0.1, 1),
        (be_blind, "well-being", "crowd", 0.5, 17),
        (name_no_taker, "card", "alert", 0.5, 1),
        (hear_no_snooze, "snooze", "alert", 0.5, 17),
        (mention_all_the_same, "mention", "alert", 0.5, 9),
        (write_half, "store", "digest", 0.1, 1),
        (run_with_an_error, "log", "command", 0.1, 1),
        (leave_a_task, "left over", "command", 0.1, 1),
    ],
)
def test_a_planted_fault_is_found(
    plant: Callable[[Patch], None],
    found: str,
    steps: str,
    days: float,
    first: int,
    monkeypatch: Patch,
) -> None:
    plant(monkeypatch)
    whys = []
    for seed in range(first, first + SEEDS):
        a_day = 40 if days < 1 else 8
        how = dict.fromkeys(steps.split(), 1.0)
        why = lived(seed, days, how, steps_a_day=a_day, tick_s=SELDOM_S)
        whys.append(why[:200])
        if why.startswith(found):
            return
    pytest.fail(f"{found} was not found: {whys}")
