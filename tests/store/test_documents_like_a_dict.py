"""Any sequence of calls does to a store what it does to a plain dict."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.store.documents import ConflictError, Document, Documents

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
