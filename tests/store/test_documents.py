"""One contract, every store.

Any sequence of calls does to a store what it does to a plain dict.
"""

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.store.documents import (
    DELETE,
    ConflictError,
    Document,
    Documents,
    StoreError,
    Write,
    update,
)
from tests.loops import loop_over

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


async def keys_under(documents: Documents, prefix: str) -> list[str]:
    return [document.key for document in await documents.list_prefix(prefix)]


@loop_over(
    "value",
    [
        pytest.param({}, id="empty"),
        pytest.param({"": {"": []}}, id="empty-names"),
        pytest.param({"t": "NUL \0, half \ud800, emoji 🦊, RTL \u202e, quote '\"\\"}, id="text"),
        pytest.param({"n": [2**70, -1, 1e-300, True]}, id="numbers"),
        pytest.param({"long": "x" * 2_000_000}, id="two-megabytes"),
    ],
)
async def test_any_json_object_comes_back(documents: Documents, value: dict[str, Any]) -> None:
    await documents.put("-.T1/key", value)

    assert [found.value for found in await documents.list_prefix("")] == [value]
    assert await documents.delete("-.T1/key")  # the next one is put where there is none


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"in": value}
    return value


@loop_over(
    "value",
    [
        pytest.param({"n": float("nan")}, id="nan"),
        pytest.param({"n": float("inf")}, id="infinity"),
        pytest.param({"n": {1, 2}}, id="set"),
        pytest.param({("a", "b"): 1}, id="tuple-as-name"),
        pytest.param(nested(100_000), id="too-deep"),
    ],
)
async def test_a_value_is_json(documents: Documents, value: dict[str, Any]) -> None:
    before = await documents.put("-.T1/key", {"n": 1})

    with pytest.raises(StoreError):
        await documents.put("-.T1/key", value)

    assert await documents.get("-.T1/key") == before


async def test_values_are_copies(documents: Documents) -> None:
    value = {"names": ["a"]}
    put = await documents.put("-.T1/key", value)

    value["names"].append("b")
    put.value["names"].append("c")

    found = await documents.get("-.T1/key")
    assert found is not None
    assert found.value == {"names": ["a"]}


@loop_over("key", ["", "a\0b", "a\ud800"], ids=["empty", "nul", "half-a-character"])
async def test_an_unportable_key_is_refused(documents: Documents, key: str) -> None:
    with pytest.raises(StoreError):
        await documents.put(key, {})
    with pytest.raises(StoreError):
        await documents.get(key)
    with pytest.raises(StoreError):
        await documents.delete(key)


async def test_a_key_deleted_and_made_again_does_not_look_unchanged(documents: Documents) -> None:
    first = await documents.put("-.T1/key", {"n": 1})
    await documents.delete("-.T1/key")
    await documents.put("-.T1/key", {"n": 2})

    with pytest.raises(ConflictError):
        await documents.put("-.T1/key", {"n": 3}, if_rev=first.rev)


async def increment(documents: Documents, key: str) -> Document | None:
    return await update(
        documents, key, lambda found: Write({"n": found.value["n"] + 1 if found else 1})
    )


async def test_simultaneous_increments_are_all_counted(documents: Documents) -> None:
    keys = [f"-.T1/count/{number % 5}" for number in range(50)]

    await asyncio.gather(*(increment(documents, key) for key in keys))

    counts = [found.value["n"] for found in await documents.list_prefix("-.T1/count/")]
    assert counts == [10] * 5


async def test_a_change_may_also_leave_or_delete_what_it_finds(documents: Documents) -> None:
    put = await increment(documents, "-.T1/key")

    assert await update(documents, "-.T1/key", lambda _: None) == put
    assert await update(documents, "-.T1/key", lambda _: DELETE) is None
    assert await documents.list_keys("") == []


async def test_a_list_is_in_key_order(documents: Documents) -> None:
    keys = sorted(f"-.T1/{number}é" for number in range(1_001))
    for key in [*reversed(keys), "-.T10/a", "-.T"]:
        await documents.put(key, {})

    assert await documents.list_keys("-.T1/") == await keys_under(documents, "-.T1/") == keys
    assert await documents.list_keys("") == ["-.T", *keys, "-.T10/a"]


async def test_the_empty_prefix_deletes_nothing(documents: Documents) -> None:
    await documents.put("-.T1/key", {})

    with pytest.raises(StoreError):
        await documents.delete_prefix("")

    assert await keys_under(documents, "") == ["-.T1/key"]


@loop_over(
    ("prefix", "expected"),
    [
        pytest.param("w/%", ["w/%", "w/%a"], id="percent"),
        pytest.param("w/_", ["w/_", "w/_a"], id="underscore"),
        pytest.param("w/A", ["w/A"], id="case"),
        pytest.param("w/é", ["w/é"], id="accent"),
        pytest.param("w/\ud7ff", ["w/\ud7ff\U0010ffff"], id="before-the-surrogates"),
        pytest.param("w/\U0010ffff", ["w/\U0010ffff", "w/\U0010ffff\U0010ffffz"], id="last"),
        pytest.param("\U0010ffff", ["\U0010ffff"], id="last-of-all"),
    ],
)
async def test_prefixes_are_text(documents: Documents, prefix: str, expected: list[str]) -> None:
    keys = ["\U0010ffff", "w/%", "w/%a", "w/_", "w/_a", "w/A", "w/a", "w/é", "w/e\u0301"]
    keys += ["w/\ud7ff\U0010ffff", "w/\ue000", "w/\U0010ffff", "w/\U0010ffff\U0010ffffz"]
    for key in keys:
        await documents.put(key, {})

    assert await keys_under(documents, prefix) == expected
    assert await documents.delete_prefix(prefix) == len(expected)
    assert len(await documents.list_prefix("")) == len(keys) - len(expected)


async def test_a_due_moment_keeps_its_instant_and_comes_back_in_utc(documents: Documents) -> None:
    in_kathmandu = NOON.astimezone(timezone(timedelta(hours=5, minutes=45)))

    put = await documents.put("-.T1/key", {}, due_at=in_kathmandu)

    assert put.due_at == NOON
    assert put.due_at.tzinfo is UTC
    assert await documents.due_keys(in_kathmandu) == ["-.T1/key"]


@loop_over(
    "moment",
    [
        pytest.param(datetime(2026, 11, 2, 12, 0), id="no-zone"),  # noqa: DTZ001 - that is the test
        pytest.param(datetime.max.replace(tzinfo=timezone(-MINUTE)), id="after-the-last-year"),
    ],
)
async def test_a_moment_outside_utc_is_refused(documents: Documents, moment: datetime) -> None:
    with pytest.raises(StoreError):
        await documents.put("-.T1/key", {}, due_at=moment)
    with pytest.raises(StoreError):
        await documents.due_keys(moment)


async def test_a_closed_store_refuses_everything_but_another_close(documents: Documents) -> None:
    await documents.close()
    await documents.close()

    with pytest.raises(StoreError):
        await documents.get("-.T1/key")
    with pytest.raises(StoreError):
        await documents.put("-.T1/key", {})
    with pytest.raises(StoreError):
        await documents.check()


async def test_the_keys_of_what_is_due_come_without_its_values(documents: Documents) -> None:
    for minute in (2, 1, 3):
        await documents.put(f"-.T{minute}/x", {}, due_at=NOON + minute * MINUTE)

    assert await documents.due_keys(NOON + 2 * MINUTE) == ["-.T1/x", "-.T2/x"]
    assert await documents.due_keys(NOON + 2 * MINUTE, limit=1) == ["-.T1/x"]
    await documents.delete("-.T1/x")
    assert await documents.due_keys(NOON + 2 * MINUTE) == ["-.T2/x"]


async def test_only_the_wanted_kinds_of_what_is_due_count(documents: Documents) -> None:
    for number, key in enumerate(("-.T1/digest/x", "-.T1/key", "-.T1/other/digest")):
        await documents.put(key, {}, due_at=NOON + number * MINUTE)
    due_at = NOON + 2 * MINUTE

    assert await documents.due_keys(due_at, "digest") == ["-.T1/digest/x"]
    assert await documents.due_keys(due_at, "key", "digest", limit=1) == ["-.T1/digest/x"]
    assert await documents.due_keys(due_at, "key", "other") == ["-.T1/key", "-.T1/other/digest"]


EPOCH = datetime(2026, 11, 2, tzinfo=UTC)


class Step(NamedTuple):
    action: str
    key: str
    value: dict[str, Any]
    due_at: datetime | None
    condition: str


keys = st.text("ab%_/é'\ud7ff\ue000\U0010ffff", max_size=3).map("w/".__add__)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
steps = st.builds(
    Step,
    action=st.sampled_from(["put"] * 5 + ["delete"] * 2 + ["delete_prefix"]),
    key=keys,
    value=st.dictionaries(st.text(max_size=3), json_values, max_size=3),
    due_at=st.none() | st.integers(0, 9).map(lambda hours: EPOCH + timedelta(hours=hours)),
    condition=st.sampled_from(["any", "any", "absent", "current", "other"]),
)


class Model:
    """What a store should do, in the fewest words. Revisions are taken from the store."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}

    def if_rev(self, step: Step) -> int | None:
        current = self.rev(step.key)
        return {"any": None, "absent": 0, "current": current, "other": current + 7}[step.condition]

    def rev(self, key: str) -> int:
        return self.documents[key].rev if key in self.documents else 0

    def listed(self, prefix: str) -> list[Document]:
        found = [found for key, found in self.documents.items() if key.startswith(prefix)]
        return sorted(found, key=lambda document: document.key)

    def due(self, moment: datetime) -> list[Document]:
        found = [(d.due_at, d.key) for d in self.documents.values() if d.due_at]
        return [self.documents[key] for due_at, key in sorted(found) if due_at <= moment]


async def take(step: Step, documents: Documents, model: Model) -> None:
    """Do the step to both, and compare what they say."""
    condition = model.if_rev(step)
    allowed = condition in {None, model.rev(step.key)}
    if step.action == "delete_prefix":
        doomed = model.listed(step.key)
        assert await documents.delete_prefix(step.key) == len(doomed)
        for document in doomed:
            del model.documents[document.key]
    elif not allowed:
        with pytest.raises(ConflictError):
            await documents.delete(step.key, if_rev=condition)
        with pytest.raises(ConflictError):
            await documents.put(step.key, step.value, due_at=step.due_at, if_rev=condition)
    elif step.action == "put":
        put = await documents.put(step.key, step.value, due_at=step.due_at, if_rev=condition)
        assert put == Document(step.key, step.value, put.rev, step.due_at)
        assert put.rev != model.rev(step.key)
        model.documents[step.key] = put
    else:
        existed = model.documents.pop(step.key, None) is not None
        assert await documents.delete(step.key, if_rev=condition) is existed


@given(sequence=st.lists(steps, max_size=12), prefix=keys, hours=st.integers(0, 9))
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # emptied at the beginning
)
async def test_a_store_does_what_a_dict_does(
    documents: Documents, sequence: list[Step], prefix: str, hours: int
) -> None:
    await documents.delete_prefix("w")
    model = Model()

    for step in sequence:
        await take(step, documents, model)

    moment = EPOCH + timedelta(hours=hours)
    assert await documents.list_prefix("") == model.listed("")
    assert await documents.list_prefix(prefix) == model.listed(prefix)
    assert await documents.list_keys(prefix) == [each.key for each in model.listed(prefix)]
    assert await documents.get(prefix) == model.documents.get(prefix)
    assert await documents.due_keys(moment) == [each.key for each in model.due(moment)]
