"""The history as operators take it out: every act, in order, and nothing secret."""

import json
from datetime import timedelta

import pytest

from bot.admin import OPERATOR, Act, Audit
from bot.store.documents import Document
from bot.workspace import WorkspaceId
from tests.builders import KEY, KEY_TAIL, MOMENT
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments
from tests.ops.builders import histories_of

pytestmark = pytest.mark.anyio

ALONE, IN_ORG = WorkspaceId("T2"), WorkspaceId("T1", "E1")


async def some_history() -> MemoryDocuments:
    documents, clock = MemoryDocuments(), FakeClock()
    audit = Audit(documents, clock=clock)
    await audit.note(IN_ORG, Act.KEY_SET, by="U1", key=KEY)
    clock.advance(60)
    await audit.note(IN_ORG, Act.MANAGERS_CHANGED, by="U1", added=("U2", "S1"))
    await audit.note(ALONE, Act.IMPORTED, by=OPERATOR, detail=f"1 digest added {KEY}")
    return documents


async def test_each_act_is_a_line_the_oldest_first() -> None:
    histories = histories_of(await (await some_history()).list_prefix(""))

    assert KEY_TAIL not in "".join(histories.lines)
    acts = [json.loads(line) for line in histories.lines]
    assert [(act["team"], act["organisation"], act["act"]) for act in acts] == [
        ("T2", None, "imported"),
        ("T1", "E1", "key-set"),
        ("T1", "E1", "managers-changed"),
    ]
    assert acts[2] == {
        "team": "T1",
        "organisation": "E1",
        "at": (MOMENT + timedelta(minutes=1)).isoformat(),
        "by": "U1",
        "act": "managers-changed",
        "added": ["U2", "S1"],
    }


async def test_what_is_no_history_is_left_out_and_what_cannot_be_read_is_named() -> None:
    documents = [
        Document("-.T1/key", {"sealed": "x"}, 1, None),
        Document("-.T1/audit", {"v": 1, "entries": [{"act": "key-set"}]}, 1, None),
        Document("-.T2/audit", {}, 1, None),
        Document("nowhere/audit", {"v": 1, "entries": [{}]}, 1, None),
    ]

    histories = histories_of(documents)

    assert histories.lines == []
    assert histories.unreadable == ["-.T1/audit", "-.T2/audit", "nowhere/audit"]
