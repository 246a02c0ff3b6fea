"""Custom steps of workflows, as `manifest.workflow.yml` describes them."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.playground.manifest import read_manifest
from bot.playground.slack import StepFailed
from bot.playground.slack.app import StepRun
from tests.answers import WORKFLOW_MANIFEST
from tests.fakes import TIME_LIMIT_S
from tests.whole.harness import Harness, running_bot, running_stand_ins
from tests.whole.test_killed import killed_at_the_end, until_noted

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket", "http")]

ABOUT = read_manifest(WORKFLOW_MANIFEST)
SHOP = {"domain": "shop.example"}
SICK = {"security": {"issues": [{"severity": "high", "title": "Listed by <!channel>"}]}}


def offer_steps(app: Harness) -> None:
    """Let Slack know the app by the manifest with steps."""
    app.slack.app.settings.functions = ABOUT.functions
    app.slack.app.settings.events = ABOUT.events


@pytest.fixture
async def app(app: Harness) -> Harness:
    offer_steps(app)
    return app


async def ended(app: Harness, run: StepRun) -> StepRun:
    event = app.slack.universe.change_event
    return await event.until(lambda: None if run.is_running else run, TIME_LIMIT_S)


async def failure(app: Harness, domain: str, step: str = "scan_domain") -> str:
    """Run a step that fails; return the sentence that Slack shows."""
    with pytest.raises(StepFailed) as failed:
        await app.slack.run_step(step, {"domain": domain})
    return str(failed.value)


@pytest.mark.transports("socket", "http", "shared")
async def test_m21_a_workflow_scans_a_domain_and_reads_its_health(ready: Harness) -> None:
    ready.account.scan_results["shop.example"] = SICK
    before = await ready.slack.run_step("get_domain_health", SHOP)
    scan = await ready.slack.run_step("scan_domain", {"domain": "<http://shop.example/a|shop>"})
    ready.tracker.requests.clear()

    after = await ready.slack.run_step("get_domain_health", SHOP)

    assert (before["score"], before["worst_issue"]) == (41.0, "Unknown: never scanned")
    assert (scan["score"], scan["band"]) == (after["score"], "poor")
    assert scan["worst_issue"] == after["worst_issue"] == "High: Listed by ‹!channel›"
    assert scan["text"].startswith(f"Scan of shop.example. Health 41 to {scan['score']:g}, poor")
    assert ready.service_requests() == []
    # No person is asked for, and none hears of it.
    assert "users.info" not in {call.method for call in ready.slack.calls[-3:]}
    used = (await ready.ask(ready.ada, "/domainkey")).everything
    assert "workflows 3" in used  # the list, the scan, and the list with the new score


async def test_m21_a_step_that_cannot_be_done_fails_with_a_sentence(ready: Harness) -> None:
    wrong = {
        text: await failure(ready, text) for text in ["", "two words", "10.0.0.1", "*.a.example"]
    }
    assert ready.service_requests() == []
    unknown = await failure(ready, "shop.exmaple")
    ready.tracker.fail_next("rate_limit", on="scan")
    limited = await failure(ready, "shop.example")

    assert wrong[""] == "Enter a domain, such as example.com."
    assert all("Enter " in sentence for sentence in wrong.values())
    assert unknown.startswith("shop.exmaple is not in your portfolio. Did you mean shop.example?")
    assert "limit" in limited


async def test_m21_without_a_key_the_sentence_says_who_can_set_one(app: Harness) -> None:
    sentence = await failure(app, "shop.example", "get_domain_health")

    assert sentence.startswith("This workspace is not connected to Domain Tracker yet.")
    assert "kept" not in sentence  # a step does not run later


@pytest.mark.transports("socket")
async def test_m21_an_end_whose_answer_was_lost_is_said_again_and_once(ready: Harness) -> None:
    ready.slack.fail_next("functions.completeSuccess", kind="drop", after_acting=True)
    ready.slack.fail_next("functions.completeSuccess", "fatal_error")

    outputs = await ready.slack.run_step("get_domain_health", SHOP)

    assert outputs["score"] == 41.0


@pytest.mark.transports("socket", "http")
async def test_m21_an_event_that_slack_repeats_runs_its_step_once(ready: Harness) -> None:
    await ready.slack.run_step("scan_domain", SHOP)
    told = ready.slack.envelopes[-1].payload
    ready.tracker.requests.clear()

    await ready.slack.deliver_event(told["event"], event_id=told["event_id"])
    await ready.slack.run_step("scan_domain", {"domain": "www.example"})

    assert [path for method, path in ready.service_requests() if method == "POST"] == ["scan"]


@pytest.mark.transports("http")
async def test_m21_a_kill_in_the_middle_fails_the_step_after_the_next_start(
    tmp_path: Path, transport: str
) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        offer_steps(app)
        app.account.add("shop.example", health=41)
        hold = app.tracker.hold_scans()
        async with killed_at_the_end(app, module="tests.benchmarks.fleet_bot"):
            await app.connect()
            await until_noted(app, is_noted=False)  # that was ada's
            run = app.slack.start_step("scan_domain", SHOP)
            await until_noted(app)
        hold.release()
        app.clock.ahead += timedelta(minutes=1)
        assert run.is_running

        async with running_bot(app):
            error = (await ended(app, run)).error

        assert error == "The app was interrupted, so this got no answer. Please try again."
