"""PRIVACY.md says of each kind of document whether it names a person, and how long it is kept."""

import re
from datetime import timedelta
from pathlib import Path

from bot.access.repository import MAX_ENTRIES
from bot.digests import alert_life
from bot.digests.models import MAX_PAST_RUNS
from bot.dispatch import deferred_commands
from bot.domains import add_many
from bot.keys.key_pair import EARLIER_KEPT_FOR
from bot.store.fenced import FencedDocuments
from tests.installations.test_no_trace import GONE, Life, kinds_in_the_source
from tests.installations.test_no_trace import documents as documents

PRIVACY = (Path(__file__).parents[2] / "PRIVACY.md").read_text()


def rows(heading: str) -> dict[str, str]:
    """Return what is said of how long each kind of document is kept."""
    section = PRIVACY.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = re.findall(r"^\|[^|]+\|[^|]+\|([^|]+)\|([^|]+)\|$", section, re.MULTILINE)
    return {kind: long for long, kinds in table for kind in re.findall(r"`([a-z-]+)`", kinds)}


async def test_each_kind_of_document_is_in_the_table_of_those_that_do_or_do_not_name_people(
    documents: FencedDocuments,
) -> None:
    life = Life(documents, GONE)
    await life.live()
    person = f"U_{life.mark}"
    naming = {
        document.key.split("/")[1]
        for document in await documents.list_prefix(f"{GONE}/")
        if person in f"{document.key} {document.value}"
    }

    written = {
        document.key.split("/")[1]
        for document in await documents.list_prefix(f"{GONE}/")
        if re.search(r"'(?!name)\w*name': '", f"{document.value}")
    }
    assert written == {"digest"}  # the only kind with a person's display name
    # What is encrypted names the person inside, and the key's record who set it.
    assert {"kept", "key"} <= naming
    assert set(rows("What names you")) == naming
    assert set(rows("What names nobody")) == kinds_in_the_source() - naming


def test_it_says_for_how_long_as_the_bot_does() -> None:
    said = rows("What names you") | rows("What names nobody")

    assert timedelta(days=30) == alert_life.KEPT_FOR
    assert said["digest-alert"] == " 30 days "
    assert timedelta(days=7) == EARLIER_KEPT_FOR
    assert "and 7 days as the previous one" in said["key"]
    assert timedelta(minutes=15) == deferred_commands.KEPT_FOR
    assert "at most 15 minutes" in said["kept"]
    assert timedelta(days=1) == add_many.KEPT_FOR
    assert said["to-add"] == " a day "
    assert said["audit"] == f" the last {MAX_ENTRIES} acts "
    assert f"the last {MAX_PAST_RUNS}" in said["digest"]
