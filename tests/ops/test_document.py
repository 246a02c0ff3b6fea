"""The file of `export`: readable, the same each time, and read back as what it tells."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.admin import Named
from bot.digests.edits import Editor, start_manual_run
from bot.digests.models import FailureReason, Mention, Mode, Pause, Plan
from bot.ops.export_file import digest_fields, file_text
from bot.ops.import_diff import difference_between
from bot.ops.import_file import read_file
from bot.store.documents import Document
from bot.workspace import WorkspaceId
from tests.digests.builders import DUE, a_digest, a_mention, a_past_run, a_schedule
from tests.ops.builders import (
    a_choice,
    a_document,
    a_managers_document,
    a_rights_document,
    holding,
    holdings_of,
)

ORG = WorkspaceId("T2", "E1")
FULL = a_digest(
    filter_text='tag:prod folder:"Größe"',
    mode=Mode.WORSE,
    heartbeat_every=7,
    worst_count=5,
    mentions=(a_mention("tag:prod", "U1", "S1"), a_mention("folder:Web shops", "U2")),
    pause=Pause(since=DUE, by="U1"),
    schedule=a_schedule(days=(6, 0)),
)
EXPORTED = """\
# Domain Tracker for Slack: digests, who may change them, and who manages the API key. No keys, no
# tokens, no history.
# Written by `python -m bot export`, read by `python -m bot import FILE`; see docs/operators.md.
version: 1
workspaces:
- team: T1
  organisation: null
  managers:
    people: [U1]
    groups: [S1, S2]
  editors: members
  digests:
  - id: d1
    channel: C0OPS
    days: [Mon, Sun]
    time: "09:00"
    zone: Europe/Berlin
    filter: "tag:prod folder:\\"Größe\\""
    post: worse
    sign_of_life: 7
    worst_shown: 5
    mentions:
    - when: "tag:prod"
      who: [U1, S1]
    - when: "folder:Web shops"
      who: [U2]
    pause:
      since: "2026-11-20T08:00:00+00:00"
      until: null
      by: U1
      why: null
    made_by: U0ADMIN
    made_by_name: "Ada"
    made_at: "2026-10-21T08:00:00+00:00"
"""


def test_a_file_looks_like_this() -> None:
    documents = [a_document(FULL), a_managers_document(Named(("U1",), ("S1", "S2"), 3))]

    assert file_text(holdings_of(documents)) == EXPORTED


def test_managers_from_before_there_were_groups_are_exported() -> None:
    document = Document("-.T1/managers", {"v": 1, "user_ids": ["U1"]}, 1, None)

    (workspace,) = yaml.safe_load(file_text(holdings_of([document])))["workspaces"]

    assert workspace["managers"] == {"people": ["U1"], "groups": []}


def test_it_is_the_same_whatever_the_order_in_the_store() -> None:
    documents = [
        a_document(a_digest(digest_id="b")),
        a_document(a_digest(digest_id="a")),
        a_document(a_digest(digest_id="z", made_at=DUE - timedelta(days=99))),
        a_document(a_digest(), ORG),
        a_rights_document(admins_only=True, workspace=ORG),
    ]

    text = file_text(holdings_of(documents))

    assert file_text(holdings_of(documents[::-1])) == text
    first, second = yaml.safe_load(text)["workspaces"]
    assert [each["id"] for each in first["digests"]] == ["z", "a", "b"]
    assert (second["team"], second["organisation"]) == ("T2", "E1")
    assert [first["editors"], second["editors"]] == ["members", "admins"]


def test_who_may_add_and_scan_is_in_it_once_somebody_chose() -> None:
    chosen = a_choice(add="managers", scan="everyone")

    text = file_text(holdings_of([chosen]))

    assert yaml.safe_load(text)["workspaces"][0]["who_may"] == {
        "add": "managers",
        "scan": "everyone",
    }


def test_nothing_of_the_past_and_no_other_document_is_in_it() -> None:
    past = a_digest(past=(a_past_run(trouble=FailureReason.SCOPE),), baseline="a")
    digest = start_manual_run(past, Editor(user_id="U1", name="Bob"), DUE, "tttt")
    others = [
        Document("-.T1/key", {"sealed": "v1.k1.xxxx"}, 1, None),
        Document("-.T1/digest-baseline/d1/a", {"scores": {"shop.example": 41}}, 1, None),
        Document("meta/key-check", {"k1": "v1.k1.xxxx"}, 1, None),
    ]

    text = file_text(holdings_of([a_document(digest), *others]))

    assert text == file_text(holding(a_digest()))


def test_a_digest_that_cannot_be_read_is_named_and_the_rest_is_there() -> None:
    broken = [
        Document("-.T1/digest/d2", {"v": 1}, 1, None),
        Document("nowhere/digest/d3", a_document(a_digest()).value, 1, None),
        Document("-.T1/digest-rights", {}, 1, None),
        Document("-.T9/managers", {"v": 1, "group_ids": []}, 1, None),
    ]

    holdings = holdings_of([a_document(a_digest()), *broken])

    assert holdings.unreadable == [each.key for each in broken]
    assert len(holdings.workspaces) == 1


def test_every_field_of_a_plan_is_in_the_file() -> None:
    of_plan = {*Plan.__dataclass_fields__} - {"schedule"} | {"days", "time", "zone", "every"}
    of_digest = {"id", "pause", "made_by", "made_by_name", "made_at"}

    assert len(digest_fields(FULL)) == len(of_plan | of_digest)


moments = st.datetimes(
    min_value=datetime(2000, 1, 1),  # noqa: DTZ001  # hypothesis wants it naive
    max_value=datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
people = st.from_regex(r"[UW][A-Z0-9]{1,12}", fullmatch=True)
pauses: st.SearchStrategy[Pause | None] = st.none() | st.builds(
    Pause, since=moments, until=st.none() | moments, by=people, why=st.none()
)
digests: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "digest_id": st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True),
        "channel_id": st.from_regex(r"[CG][A-Z0-9]{1,12}", fullmatch=True),
        "schedule": st.builds(
            a_schedule,
            days=st.sets(st.integers(0, 6), min_size=1),
            at=st.builds(time, st.integers(0, 23), st.integers(0, 59)),
            zone=st.sampled_from(["UTC", "Europe/Berlin", "Pacific/Chatham", "EST5EDT"]),
        ),
        "filter_text": st.sampled_from(["", "tag:prod", 'folder:"no: yes"', "null", "10", "é"]),
        "mode": st.sampled_from(Mode),
        "heartbeat_every": st.none() | st.integers(1, 99),
        "worst_count": st.integers(5, 25),
        "mentions": st.just(()) | st.just((Mention(label="tag:ü: #", who=("S1", "U2")),)),
        "pause": pauses,
        "made_by": people,
        "made_by_name": st.text(max_size=30),
        "made_at": moments,
    }
)


named: st.SearchStrategy[Named] = st.builds(
    Named,
    user_ids=st.lists(people, max_size=20, unique=True).map(tuple),
    group_ids=st.lists(
        st.from_regex(r"S[A-Z0-9]{1,12}", fullmatch=True), max_size=5, unique=True
    ).map(tuple),
    rev=st.just(4),
)


@given(digests, named)
def test_what_is_exported_and_imported_makes_no_difference(
    fields: dict[str, Any], managers: Named
) -> None:
    documents = [a_document(a_digest(**fields)), a_managers_document(managers)]
    holdings = holdings_of(documents)

    wanted = read_file(file_text(holdings).encode())

    assert difference_between(holdings, wanted, DUE).is_empty
