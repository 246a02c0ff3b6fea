import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.operating.doctor import Patient, examine
from bot.operating.finding import Mark
from bot.operating.scopes import NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.slack.grants import Grant
from bot.tracker.presence import Presence

pytestmark = pytest.mark.anyio

ALL = frozenset({*NEEDED_SCOPES, *OPTIONAL_SCOPES})
NAMES = [
    *("SLACK_BOT_TOKEN", "Slack permissions", "SLACK_APP_TOKEN"),
    *("DOMAIN_TRACKER_URL", "DATABASE_URL", "BOT_SECRET_KEYS"),
]


async def grant() -> Grant:
    return Grant(team_id="T1", team_name="Acme", scopes=ALL)


async def socket() -> None:
    return None


async def service() -> Presence:
    return Presence(is_tracker=True, status=401)


async def hang() -> Any:
    await asyncio.Event().wait()


def a_patient(folder: Path, **fields: Any) -> Patient:
    defaults: dict[str, Any] = {
        "fetch_grant": grant,
        "ask_for_socket": socket,
        "signing_secret": "",
        "look_for_service": service,
        "service_url": "https://tracker.example",
        "database": folder / "bot.sqlite",
        "key_ring": None,
        "environ": {},
    }
    return Patient(**(defaults | fields))


async def test_every_check_has_its_line_in_a_fixed_order(tmp_path: Path) -> None:
    findings = await examine(a_patient(tmp_path))

    assert [finding.about for finding in findings] == NAMES
    assert {finding.mark for finding in findings} == {Mark.OK}


async def test_over_http_the_signing_secret_takes_the_place_of_the_app_token(
    tmp_path: Path,
) -> None:
    findings = await examine(a_patient(tmp_path, ask_for_socket=None, signing_secret="0" * 32))

    assert findings[2].line == "ok    SLACK_SIGNING_SECRET: there is one."


async def test_dead_addresses_hold_nobody_and_hide_nothing(tmp_path: Path) -> None:
    patient = a_patient(tmp_path, fetch_grant=hang, ask_for_socket=hang, look_for_service=hang)

    async with asyncio.timeout(5):
        findings = await examine(patient, limit_s=0.05)

    failed = [finding.about for finding in findings if finding.mark is Mark.FAIL]
    assert failed == ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DOMAIN_TRACKER_URL"]
    assert findings[-1].mark is Mark.OK


async def test_a_garbled_key_file_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "bot.sqlite.key").write_text("no ring")

    *_, finding = await examine(a_patient(tmp_path))

    assert finding.mark is Mark.FAIL
    assert "garbled" in finding.said


async def test_a_store_that_cannot_be_read_says_nothing_of_its_keys(tmp_path: Path) -> None:
    (tmp_path / "bot.sqlite").write_text("no database " * 100)

    *_, finding = await examine(a_patient(tmp_path))

    assert finding.about == "DATABASE_URL"


async def test_a_disk_that_does_not_last_comes_last(tmp_path: Path) -> None:
    *_, finding = await examine(a_patient(tmp_path, environ={"DYNO": "web.1"}))

    assert (finding.about, finding.mark) == ("disk", Mark.WARN)
