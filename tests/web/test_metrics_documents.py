"""Rules, dashboard and document speak of all metrics, and of labels and values that exist."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from bot.app.services import Role
from bot.web.gauges import QUEUE_STATES
from bot.web.metrics import CALL_OUTCOMES as SLACK_OUTCOMES
from bot.web.metrics import Metrics
from tests.loops import loop_over
from tests.web.reading import a_bot, find_all

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
        metrics.people.note_request("/scan", outcome, 1)
    for outcome in SLACK_OUTCOMES:
        metrics.slack.note_call("chat.postMessage", outcome, 1)
    metrics.digests.note_run("failed", "service")

    async def nothing() -> None: ...

    await metrics.periodic.timed("tick", nothing)()
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
            for label, value in sample.labels.items():
                known[label].add(value)
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
    for name, label, how, value in matchers(expression):
        if value == "$instance":
            continue
        assert label in there[name], f"{name} has no label {label}"
        for each in value.split("|") if "~" in how else [value]:
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
