import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.installations.directory import InstallationRepository
from bot.installations.models import Tokens
from bot.ops.doctor import DoctorInput, OAuthApp, examine
from bot.ops.doctor_slack import InstallQuery
from bot.ops.output import Mark
from bot.ops.stores import FileStore
from bot.slack.auth import NEEDED_SCOPES, OPTIONAL_SCOPES, Answer, Grant
from bot.slack.errors import SlackRefusedError
from bot.store.encryption import load_or_make_key_file
from bot.store.sqlite import open_sqlite
from bot.tracker.client import Presence
from tests.builders import BOT_TOKEN, MOMENT
from tests.fakes import TIME_LIMIT_S
from tests.ops.builders import an_installation

pytestmark = pytest.mark.anyio

ALL = frozenset({*NEEDED_SCOPES, *OPTIONAL_SCOPES})
NAMES = [
    *("SLACK_BOT_TOKEN", "Slack permissions", "SLACK_APP_TOKEN"),
    *("DOMAIN_TRACKER_URL", "DATABASE_URL", "BOT_SECRET_KEYS"),
]

OAUTH_NAMES = [
    *("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_API_URL", "PUBLIC_URL", "SLACK_APP_TOKEN"),
    *("DOMAIN_TRACKER_URL", "DATABASE_URL", "BOT_SECRET_KEYS", "installations"),
]


async def grant() -> Grant:
    return Grant(team_id="T1", team_name="Acme", scopes=ALL)


async def socket() -> None:
    return None


async def service() -> Presence:
    return Presence(is_tracker=True, status=401)


async def hang(*_asked: str) -> Any:
    await asyncio.Event().wait()


def a_patient(folder: Path, **fields: Any) -> DoctorInput:
    defaults: dict[str, Any] = {
        "way": grant,
        "ask_for_socket": socket,
        "signing_secret": "",
        "look_for_service": service,
        "service_url": "https://tracker.example",
        "store": FileStore(folder / "bot.sqlite"),
        "key_ring": None,
        "environ": {},
    }
    return DoctorInput(**(defaults | fields))


async def test_every_check_has_its_line_in_a_fixed_order(tmp_path: Path) -> None:
    findings = await examine(a_patient(tmp_path))

    assert [finding.about for finding in findings] == NAMES
    assert {finding.mark for finding in findings} == {Mark.OK}


async def test_over_http_the_signing_secret_takes_the_place_of_the_app_token(
    tmp_path: Path,
) -> None:
    findings = await examine(a_patient(tmp_path, ask_for_socket=None, signing_secret="0" * 32))

    assert findings[2].line.startswith("ok    SLACK_SIGNING_SECRET: it looks like one of Slack's")


@pytest.mark.parametrize(
    ("answer", "mark"),
    [(Answer(status=404), Mark.OK), (Answer(error="ClientProxyConnectionError"), Mark.FAIL)],
)
async def test_where_slack_is_slack_the_host_of_answers_is_tried(
    tmp_path: Path, answer: Answer, mark: Mark
) -> None:
    async def look() -> Answer:
        return answer

    hooks = ("https://hooks.slack.com", look)
    findings = await examine(a_patient(tmp_path, hooks=hooks))

    assert [each.mark for each in findings if each.about == "answers to commands"] == [mark]


def an_oauth_app(**fields: Any) -> OAuthApp:
    async def health() -> Answer:
        return Answer(status=200, body='{"status": "alive"}')

    async def ask(_token: str) -> Grant:
        return await grant()

    async def exchange(_code: str) -> None:
        raise SlackRefusedError("invalid_code")

    url = "https://bot.example"
    defaults: dict[str, Any] = {
        "exchange": exchange,
        "public_url": url,
        "ask_api": socket,
        "look_at_health": health,
        "query": InstallQuery(ask=ask, install_url=f"{url}/slack/install", now=MOMENT),
    }
    return OAuthApp(**(defaults | fields))


async def test_with_oauth_the_app_and_its_installations_take_the_place_of_the_bot_token(
    tmp_path: Path,
) -> None:
    findings = await examine(a_patient(tmp_path, way=an_oauth_app()))

    assert [finding.about for finding in findings] == OAUTH_NAMES
    assert {finding.mark for finding in findings} == {Mark.OK}


async def test_with_oauth_a_silent_slack_and_public_address_hold_nobody(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path / "bot.sqlite")
    ring, _ = load_or_make_key_file(tmp_path / "bot.sqlite.key")
    await InstallationRepository(store, ring).put(
        an_installation(tokens=Tokens(access=BOT_TOKEN)),
    )
    await store.close()
    query = InstallQuery(ask=hang, install_url="https://bot.example", now=MOMENT)
    way = an_oauth_app(exchange=hang, ask_api=hang, look_at_health=hang, query=query)

    async with asyncio.timeout(TIME_LIMIT_S):
        findings = await examine(a_patient(tmp_path, way=way), limit_s=0.2)

    failed = [finding.about for finding in findings if finding.mark is Mark.FAIL]
    assert failed == ["SLACK_CLIENT_ID", "SLACK_API_URL", "PUBLIC_URL", "installations"]
    assert "BOT_SECRET_KEYS" in [finding.about for finding in findings]


async def test_dead_addresses_hold_nobody_and_hide_nothing(tmp_path: Path) -> None:
    patient = a_patient(tmp_path, way=hang, ask_for_socket=hang, look_for_service=hang)

    async with asyncio.timeout(TIME_LIMIT_S):
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
