"""What is noted stands on the page, in few and harmless series.

Rules, dashboard and document speak of all metrics, and of labels and values that exist.
Who may read the metrics.
"""

import asyncio
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as openmetrics_families,
)
from prometheus_client.parser import text_string_to_metric_families

from bot import DISTRIBUTION, __version__
from bot.app.services import Role
from bot.tracker.http import tracker_http
from bot.web.metrics import CALL_OUTCOMES as SLACK_OUTCOMES
from bot.web.metrics import (
    DIGESTS,
    OPERATIONS,
    QUEUE_STATES,
    REQUEST_OUTCOMES,
    LazyGauges,
    Metrics,
)
from bot.web.server import HealthEndpoints, MetricsEndpoint, listening
from tests.loops import loop_over
from tests.ports import reserve_port
from tests.web.reading import a_bot, find_all, samples, value, values


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


ROOT = Path(__file__).parents[2]
ALERTS = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text())
DASHBOARD = json.loads((ROOT / "deploy/grafana-dashboard.json").read_text())
DOCUMENT = (ROOT / "docs/metrics.md").read_text()
RULES: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
PANELS: list[dict[str, Any]] = [each for each in DASHBOARD["panels"] if each["type"] != "row"]
QUERIES = [(panel["title"], each["expr"]) for panel in PANELS for each in panel["targets"]]
EXPRESSIONS = [(rule["alert"], rule["expr"]) for rule in RULES] + QUERIES

OURS = re.compile(r"\b(?:bot|process|python)_[a-z_]+\b")
SELECTOR = re.compile(r"\b(?P<name>(?:bot|process|python)_[a-z_]+)(?:\{(?P<labels>[^}]*)\})?")
MATCHER = re.compile(r'(?P<label>\w+)(?P<how>=~|!~|!=|=)"(?P<value>[^"]*)"')


async def a_busy_bot() -> Metrics:
    """Return metrics in which everything has happened that has labels of its own."""
    metrics = a_bot()
    for outcome in ("answered", "declined", "service", "store", "slack", "broken", "cut_off"):
        metrics.requests.note_call("/scan", outcome, 1)
    for outcome in SLACK_OUTCOMES:
        metrics.slack.note_call("chat.postMessage", outcome, 1)
    metrics.digests.note_run("failed", "service")

    jobs = {("deliver", state): 1 for state in QUEUE_STATES}
    find_all(metrics, {"digests": (1, 1.0), "queue": jobs})
    return metrics


@pytest.fixture(scope="module")
def there() -> Mapping[str, Mapping[str, set[str]]]:
    """Every series of such a bot: its name, its labels, and their values."""
    page, _ = asyncio.run(_page())
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for family in text_string_to_metric_families(page.decode()):
        for sample in family.samples:
            known = found[sample.name]
            for label, said in sample.labels.items():
                known[label].add(said)
    return found


async def _page() -> tuple[bytes, str]:
    return await (await a_busy_bot()).page("")


def families(metrics: Metrics) -> Iterator[tuple[str, str]]:
    """Yield every metric of ours as the document calls it, and its kind."""
    for family in metrics.registry.collect():
        suffix = {"counter": "_total", "info": "_info"}.get(family.type, "")
        if family.name.startswith("bot_"):
            yield family.name + suffix, family.type


def matchers(expression: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name, label, operator and value of everything that chooses series."""
    for selector in SELECTOR.finditer(expression):
        for found in MATCHER.finditer(selector["labels"] or ""):
            yield selector["name"], found["label"], found["how"], found["value"]


@loop_over(("title", "expression"), EXPRESSIONS, ids=lambda given: given[:30])
def test_every_expression_uses_existing_metrics(
    title: str, expression: str, there: Mapping[str, Mapping[str, set[str]]]
) -> None:
    assert set(OURS.findall(expression)) <= set(there)
    for name, label, how, wanted in matchers(expression):
        if wanted == "$instance":
            continue
        assert label in there[name], f"{name} has no label {label}"
        for each in wanted.split("|") if "~" in how else [wanted]:
            if (name, label) == ("bot_build_info", "role"):  # each process has one of them
                assert each in {role.value for role in Role}
                continue
            assert each in there[name][label], f"{name} has no {label}={each}"


@loop_over(("title", "expression"), EXPRESSIONS, ids=lambda given: given[:30])
def test_only_counters_have_rates_and_only_buckets_quantiles(title: str, expression: str) -> None:
    rated = re.findall(r"(?:rate|increase)\(([a-z_]+)[^[]*\[([^]]+)\]", expression)
    counts_up = ("_total", "_bucket", "_count", "_sum")

    assert all(name.endswith(counts_up) for name, _ in rated)
    for name in OURS.findall(expression):
        if name.endswith(counts_up):
            assert name in {rated_name for rated_name, _ in rated}, f"{name} needs a rate"
    if "histogram_quantile" in expression:
        assert "sum by (le" in expression
        assert all(name.endswith("_bucket") for name, _ in rated)
    # A range of fewer than four scrapes has gaps.
    assert all(window == "$__rate_interval" or window[-1] in "mhd" for _, window in rated)


def test_every_metric_is_in_the_document_with_its_kind_and_no_other() -> None:
    known = dict(families(a_bot()))
    named = set(re.findall(r"\bbot_[a-z_]+\b", DOCUMENT))

    assert set(known) == named
    for name, kind in known.items():
        if f"| `{name}` | counter |" in DOCUMENT or f"| `{name}` | histogram |" in DOCUMENT:
            assert f"| `{name}` | {kind} |" in DOCUMENT


def test_every_metric_is_on_the_dashboard() -> None:
    shown = {name for _, expression in QUERIES for name in OURS.findall(expression)}
    plain = {re.sub(r"_(bucket|count|sum)$", "", name) for name in shown}

    assert {name for name, _ in families(a_bot())} <= plain


def test_every_documented_value_exists(there: Mapping[str, Mapping[str, set[str]]]) -> None:
    explained = set(re.findall(r"`([a-z_]+)`", DOCUMENT))
    values = {
        value
        for name, label in [
            ("bot_requests_total", "outcome"),
            ("bot_ack_seconds_count", "kind"),
            ("bot_service_calls_total", "outcome"),
            ("bot_service_calls_total", "operation"),
            ("bot_slack_calls_total", "outcome"),
            ("bot_digest_runs_total", "outcome"),
            ("bot_digest_lag_seconds_count", "tries"),
            ("bot_store_calls_total", "outcome"),
            ("bot_queue_jobs", "state"),
            ("bot_log_lines_total", "level"),
        ]
        for value in there[name][label]
    }

    assert values <= explained


TOKEN = "a-token-of-enough-letters"


async def page(_accepts: str) -> tuple[bytes, str]:
    return b"bot_up 1\n", "text/plain; version=0.0.4; charset=utf-8"


async def answer(
    headers: Mapping[str, str] | None = None,
    *,
    token: str | None = TOKEN,
    remote: str = "203.0.113.9",
) -> web.Response:
    """Return what a caller from this address gets."""
    request = make_mocked_request("GET", "/metrics", headers=headers).clone(remote=remote)
    return await MetricsEndpoint(page, token).answer(request)


@loop_over(
    "given",
    [
        None,
        "",
        TOKEN,
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer ä",
    ],
)
async def test_a_wrong_token_reads_nothing_even_locally(given: str | None) -> None:
    headers = {} if given is None else {"Authorization": given}

    response = await answer(headers, remote="127.0.0.1")

    assert (response.status, response.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert TOKEN not in (response.text or "")


@loop_over(
    "headers",
    [
        *({name: "127.0.0.1"} for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via")),
        {"Host": "127.0.0.1", "X-Forwarded-Proto": "https"},
        {"Host": "127.0.0.1", "X-Forwarded-Host": "bot.example.com"},
        {"Host": "bot.example.com"},
    ],
)
async def test_a_local_proxy_reads_nothing_without_a_token(headers: dict[str, str]) -> None:
    assert (await answer(headers, token=None, remote="127.0.0.1")).status == 403


@loop_over(
    ("remote", "status"),
    [
        *((each, 200) for each in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1")),
        *((each, 403) for each in ("203.0.113.9", "10.0.0.1", "::ffff:10.0.0.1", "", "unix")),
    ],
)
async def test_without_a_token_only_this_machine_reads_them(remote: str, status: int) -> None:
    assert (await answer(token=None, remote=remote)).status == status


async def test_prometheus_gets_the_page_of_a_bot_for_its_token() -> None:
    port = reserve_port()
    endpoint = MetricsEndpoint(Metrics(role="all", store="sqlite").page, TOKEN)
    async with (
        listening("127.0.0.1", port, HealthEndpoints({}), None, metrics=endpoint),
        aiohttp.ClientSession() as prometheus,
    ):
        right = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/plain;version=0.0.4"}
        async with prometheus.get(f"http://127.0.0.1:{port}/metrics", headers=right) as reply:
            text, status = await reply.text(), reply.status
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\xfe\r\n\r\n")
        refusal = await reader.readline()
        writer.close()

    assert (status, "# TYPE bot_build_info gauge" in text) == (200, True)
    assert b" 401 " in refusal


async def test_invalid_http_is_not_logged(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    port = reserve_port()
    async with listening("127.0.0.1", port, HealthEndpoints({}), None):
        for sent in (b"scan\r\n\r\n", b"GET / HTTP/1.1\r\nAuthorization : Bearer x\r\n\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            await reader.read()
            writer.close()
            await writer.wait_closed()

    assert caplog.records == []


async def test_a_check_that_hangs_is_not_waited_for() -> None:
    async def hang() -> bool:
        await asyncio.Event().wait()
        return True

    health = HealthEndpoints({"store": hang})
    port = reserve_port()
    async with listening("127.0.0.1", port, health, None), aiohttp.ClientSession() as http:
        answer = await http.get(f"http://127.0.0.1:{port}/readyz")
        text = await answer.json()

    assert (answer.status, text) == (503, {"ready": False, "checks": {"store": False}})


async def test_a_look_that_fails_or_hangs_shows_nothing_instead_of_what_was_once() -> None:
    registry = CollectorRegistry()
    gauges = LazyGauges(registry)

    async def find() -> tuple[int, float]:
        return 7, 0.0

    async def fail() -> None:
        raise OSError("the database is away")

    async def hang() -> None:
        await asyncio.Event().wait()

    for source, shown in ((find, 7.0), (fail, None), (find, 7.0), (hang, None)):
        gauges.sources[DIGESTS] = source
        await gauges.refresh()
        assert registry.get_sample_value("bot_digests_due") == shown


async def test_every_look_tells_its_gauges() -> None:
    metrics = a_bot()

    found = {
        "digests": (7, 12.5),
        "queue": {("deliver", "todo"): 40},
    }
    find_all(metrics, found)

    assert await value(metrics, "bot_digests_due") == 7
    assert await value(metrics, "bot_digests_overdue_seconds") == 12.5
    assert await value(metrics, "bot_queue_jobs", task="deliver", state="todo") == 40
    assert await value(metrics, "bot_queue_jobs", task="deliver", state="doing") == 0
