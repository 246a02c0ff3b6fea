"""What is noted stands on the page, in few and harmless series."""

import tomllib
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as openmetrics_families,
)

from bot import DISTRIBUTION, __version__
from bot.tracker.http import tracker_http
from bot.web.metrics import OPERATIONS, REQUEST_OUTCOMES, Metrics
from tests.web.reading import a_bot, samples, value, values


async def test_what_never_happened_yet_is_there_with_0_so_that_its_first_time_is_seen() -> None:
    found = await samples(a_bot())

    assert found[("bot_digest_runs_total", frozenset({("outcome", "uncertain")}))] == 0
    assert found[("bot_log_lines_total", frozenset({("level", "error")}))] == 0
    for operation in OPERATIONS:
        for outcome in REQUEST_OUTCOMES:
            labels = frozenset({("operation", operation), ("outcome", outcome)})
            assert found[("bot_service_calls_total", labels)] == 0


async def test_a_method_of_slack_has_all_of_its_counters_from_its_first_call_on() -> None:
    metrics = a_bot()

    metrics.slack.note_call("chat.postMessage", "answered", 0.2)

    counts = await values(metrics, "bot_slack_calls_total")
    assert sorted(counts.values()) == [0, 0, 0, 1]
    assert {dict(labels)["method"] for labels in counts} == {"chat.postMessage"}


async def test_a_digest_is_counted_with_its_lag_and_never_before_its_slot() -> None:
    metrics = a_bot()

    metrics.digests.note_lag(-0.4, is_first_try=True)  # another machine's clock
    metrics.digests.note_lag(70, is_first_try=False)

    assert await value(metrics, "bot_digest_lag_seconds_sum", tries="first") == 0
    assert await value(metrics, "bot_digest_lag_seconds_bucket", tries="later", le="60.0") == 0
    assert await value(metrics, "bot_digest_lag_seconds_bucket", tries="later", le="120.0") == 1


async def test_periodic_work_is_timed_and_remembers_its_last_success() -> None:
    metrics, done = a_bot(), []

    async def clean_up() -> None:
        done.append(1)

    work = metrics.periodic.timed("clean-up", clean_up)
    last = "bot_periodic_last_success_timestamp_seconds"
    before = await value(metrics, last, name="clean-up")
    await work()

    assert (before, done) == (0, [1])
    assert (await value(metrics, last, name="clean-up") or 0) > 1e9
    assert await value(metrics, "bot_periodic_runs_total", name="clean-up", outcome="well") == 1


async def test_periodic_work_that_fails_is_counted_and_fails_all_the_same() -> None:
    metrics = a_bot()

    async def tick() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await metrics.periodic.timed("tick", tick)()

    assert await value(metrics, "bot_periodic_runs_total", name="tick", outcome="failed") == 1
    last = "bot_periodic_last_success_timestamp_seconds"
    assert await value(metrics, last, name="tick") == 0


async def test_the_page_tells_which_bot_runs_and_how_its_process_is() -> None:
    metrics = Metrics(role="worker", store="postgresql")

    found = {name for name, _ in await samples(metrics)}

    (build,) = await values(metrics, "bot_build_info")
    assert {("role", "worker"), ("store", "postgresql")} < build
    assert "process_resident_memory_bytes" in found


async def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())

    assert project["project"]["version"] == __version__
    assert project["project"]["name"] == DISTRIBUTION
    async with tracker_http() as http:
        assert http.headers["User-Agent"] == f"{DISTRIBUTION}/{__version__}"


async def test_openmetrics_is_served_on_request() -> None:
    metrics = a_bot()
    metrics.store.note_call("get", "ok", 0.001)

    page, content_type = await metrics.page("application/openmetrics-text; version=1.0.0")

    assert content_type.startswith("application/openmetrics-text")
    assert page.endswith(b"# EOF\n")
    families = openmetrics_families(page.decode())  # type: ignore[no-untyped-call]  # the library's gap
    assert any(each.name == "bot_store_calls" for each in families)
