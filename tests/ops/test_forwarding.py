"""A file whose store has moved: no bot starts on it, until an operator takes the note away."""

import base64
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.ops.commands import import_file, rotate_secrets
from bot.ops.move import allow_file_again
from bot.ops.output import OperatingError
from bot.ops.stores import Forwarding
from bot.settings import Settings
from bot.store.documents import FORWARDING, StoreError
from bot.store.sqlite import open_sqlite
from tests.builders import BOT_TOKEN
from tests.stores import keys_of, read_snapshot

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
GONE = Forwarding("db.example:5432, database bot", NOON)
TOLD = "was moved to db.example:5432, database bot on 2026-11-20 at 12:00 UTC"
MEND = (
    "set DATABASE_URL to that database. To use the file again instead, run"
    " `python -m bot move --back` first."
)


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A store that was moved."""
    path = tmp_path / "bot.sqlite"
    store = await open_sqlite(path)
    await store.put("-.T1/digest/d1", {})
    await store.put(FORWARDING, GONE.value)
    await store.close()
    return path


def settings_of(path: Path) -> Settings:
    return Settings.model_validate(
        {
            "domain_tracker_url": "https://tracker.example",
            "slack_bot_token": BOT_TOKEN,
            "slack_signing_secret": "s",
            "bot_secret_keys": f"k1:{base64.b64encode(bytes(32)).decode()}",
            "database_url": f"sqlite:///{path}",
        }
    )


async def test_no_command_writes_to_it(path: Path, tmp_path: Path) -> None:
    settings, file = settings_of(path), tmp_path / "wanted.yaml"
    file.write_text("version: 1\nworkspaces: []\n")
    before = await read_snapshot(path)

    for command in (import_file(settings, str(file), is_applied=True), rotate_secrets(settings)):
        with pytest.raises(StoreError) as refused:
            await command
        assert str(refused.value) == f"this store {TOLD}: {MEND}"

    assert await read_snapshot(path) == before


async def test_with_the_note_taken_away_what_is_not_in_the_file_is_told(
    path: Path,
) -> None:
    said = " ".join(await allow_file_again(path))

    assert "The bot can use" in said
    assert "db.example:5432, database bot has recorded since 2026-11-20 at 12:00" in said
    assert FORWARDING not in keys_of(await read_snapshot(path))


async def test_a_store_that_has_not_moved_needs_no_way_back(path: Path) -> None:
    await allow_file_again(path)
    before = await read_snapshot(path)

    assert await allow_file_again(path) == ["This store has not moved. Nothing was changed."]

    assert await read_snapshot(path) == before


async def test_where_there_is_no_store_there_is_no_way_back(tmp_path: Path) -> None:
    with pytest.raises(OperatingError, match="There is no store at"):
        await allow_file_again(tmp_path / "none.sqlite")


async def test_into_a_store_with_a_damaged_digest_nothing_is_imported(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path / "bot.sqlite")
    await store.put("-.T1/digest/d1", {})
    await store.close()
    (file := tmp_path / "wanted.yaml").write_text("version: 1\nworkspaces: []\n")

    with pytest.raises(OperatingError, match="Nothing was imported"):
        await import_file(settings_of(tmp_path / "bot.sqlite"), str(file), is_applied=True)
