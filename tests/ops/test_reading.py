"""A file is taken as a whole or not at all; everything wrong with it is named by its line."""

from datetime import UTC, datetime, time
from typing import Any

import pytest

from bot.digests.models import FailureReason, Mention, Mode, Plan
from bot.digests.schedule import Schedule
from bot.ops.import_file import FileProblemsError, WantedManagers, read_file
from bot.workspace import WorkspaceId
from tests.builders import KEY, KEY_TAIL
from tests.loops import loop_over
from tests.ops.builders import a_file

# What is wrong in the digest, and what is said of it.
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a zone": ({"zone": "Mars/Crater"}, 'zone: there is no time zone "Mars/Crater"'),
    "a day": ({"days": ["Mon", "Funday"]}, 'days[1]: "Funday" is no day'),
    "a day twice": ({"days": ["Mon", "Mon"]}, "days[1]: is there twice"),
    "no day": ({"days": []}, "days: needs at least one day"),
    "days in one word": ({"days": "Mon-Fri"}, "days: must be a list"),
    "a time": ({"time": "9:00"}, 'time: "9:00" is no time; write it like "09:00"'),
    "a mode": ({"post": "sometimes"}, 'post: "sometimes" is not one of always, changes, worse'),
    "a filter": ({"filter": "below:low"}, 'filter: a filter that is not understood: "below:low"'),
    "an order": ({"filter": "tag:x sort:name"}, 'leave out "sort:name"'),
    "a long filter": ({"filter": "x" * 501}, "filter: a filter has at most 500 characters"),
    "a key as filter": ({"filter": f"tag:{KEY}"}, "filter: there is a key or a token in it"),
    "a sign of life": ({"sign_of_life": 0}, "sign_of_life: must be a whole number from 1 to 99"),
    "looks too often": ({"look_every": 5}, "look_every: must be 15, 30 or 60"),
    "too few": ({"worst_shown": 4}, "worst_shown: must be a whole number from 5 to 25"),
    "too many scans": ({"scans_a_night": 201}, "scans_a_night: must be a whole number from 1 to"),
    "a channel by name": ({"channel": "#general"}, 'channel: "#general" is no id like'),
    "a channel that is missing": ({"channel": None}, 'channel: "channel" is missing'),
    "an id with a slash": ({"id": "a/b"}, "id:"),
    "an unknown field": ({"colour": "red"}, "colour: there is no such field"),
    "a list for a word": ({"zone": ["UTC"]}, "zone: must be a word, a number or text"),
    "a word for fields": ({"pause": "yes"}, "pause: must be a group of fields"),
    "a pause of nobody": ({"pause": {"until": None}}, 'pause: needs "by"'),
    "a pause without a zone": (
        {"pause": {"by": "U1", "until": "2026-11-20T09:00:00"}},
        "pause.until:",
    ),
    "a pause for no reason": ({"pause": {"why": "mood"}}, 'pause.why: "mood" is not one of'),
    "a label": ({"mentions": [{"when": "prod", "who": ["U1"]}]}, "mentions[0].when:"),
    "a label twice": (
        {"mentions": [{"when": "tag:a", "who": ["U1"]}, {"when": "tag:A", "who": ["U1"]}]},
        "mentions[1]: is there twice",
    ),
    "nobody to mention": ({"mentions": [{"when": "tag:a", "who": []}]}, "who: names no one"),
    "many rules": (
        {"mentions": [{"when": f"tag:{n}", "who": ["U1"]} for n in range(11)]},
        "mentions: there can be at most 10",
    ),
    "a moment": ({"made_at": "yesterday"}, "made_at:"),
    "a moment beyond all": ({"made_at": "0001-01-01T00:00:00+14:00"}, "made_at:"),
    "a long name": ({"made_by_name": "x" * 201}, "made_by_name:"),
}


def problems(raw: bytes) -> list[str]:
    with pytest.raises(FileProblemsError) as refusal:
        read_file(raw)
    assert KEY_TAIL not in "".join(refusal.value.problems)
    return refusal.value.problems


@loop_over(("wrong", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_digest_is_named(wrong: dict[str, Any], said: str) -> None:
    (problem,) = problems(a_file({}, {"id": "d2"} | wrong))

    assert said in problem
    assert "workspaces[0].digests[1]" in problem


def test_every_problem_is_told_at_once_in_the_order_of_the_lines() -> None:
    wrong = {"zone": "Mars", "time": "late", "colour": "red"}

    found = problems(a_file(wrong, {"id": "d1"}, team="nobody"))

    named = [problem.split(": ")[0].rpartition(".")[2] for problem in found]
    assert named == ["team", "time", "zone", "colour", "id"]


@loop_over(
    ("raw", "said"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"a: [1", "line 1: ", id="no YAML"),
        pytest.param(b"a: &x 1\nb: *x", "line 2: aliases (*x) are refused", id="an alias"),
        pytest.param(b"a: \x07", "no YAML", id="a bell"),
        pytest.param(b"\xff\xfe\x00", "UTF-8", id="no text"),
        pytest.param(b"a: 1\n---\nb: 2", "another document", id="two documents"),
        pytest.param(b"[" * 800 + b"]" * 800, "nested too deeply", id="deep"),
        pytest.param(b"workspaces: []", '"version" is missing', id="no version"),
        pytest.param(b"version: 2\nworkspaces: []", "version 2 of the file", id="a later one"),
        pytest.param(b"version: 1\nversion: 1\nworkspaces: []", "given twice", id="twice"),
    ],
)
def test_what_is_no_such_file_is_refused(raw: bytes, said: str) -> None:
    assert said in problems(raw)[0]


def test_a_workspace_is_there_once() -> None:
    raw = a_file()
    twice = raw + b"\n".join(raw.splitlines()[2:])

    (problem,) = problems(twice)

    assert problem.endswith("workspaces[1]: is there twice")


def test_a_digest_is_there_once_in_a_workspace() -> None:
    assert problems(a_file({}, {}))[0].endswith("digests[1].id: is there twice")


@pytest.mark.parametrize(
    ("field", "value"), [("editors", "everybody"), ("organisation", "acme"), ("team", "C1")]
)
def test_what_is_wrong_with_a_workspace_is_named(field: str, value: str) -> None:
    (problem,) = problems(a_file({}, **{field: value}))

    assert f"workspaces[0].{field}: " in problem


@loop_over(
    ("managers", "said"),
    [
        ({"people": ["@ada"]}, 'managers.people[0]: "@ada" is no id like U0123ABCD'),
        ({"groups": ["U1"]}, 'managers.groups[0]: "U1" is no id like S0123ABCD'),
        ({"people": ["U1", "U2", "U1"]}, "managers.people[2]: is there twice"),
        ({"people": [f"U{n}" for n in range(21)]}, "people: there can be at most 20"),
        ({"groups": [f"S{n}" for n in range(6)]}, "groups: there can be at most 5"),
    ],
    ids=str,
)
def test_what_is_wrong_with_managers_is_named(managers: Any, said: str) -> None:
    (problem,) = problems(a_file({}, managers=managers))

    assert said in problem
    assert problem.startswith("line ")


@loop_over(
    ("who_may", "said"),
    [
        ({"add": "cats"}, 'who_may.add: must be one of everyone, no-guests, managers, not "cats"'),
    ],
    ids=str,
)
def test_what_is_wrong_with_who_may_add_and_scan_is_named(who_may: Any, said: str) -> None:
    (problem,) = problems(a_file({}, who_may=who_may))

    assert said in problem


def test_what_is_left_out_is_as_the_form_proposes_it() -> None:
    (workspace,) = read_file(a_file({})).workspaces
    (digest,) = workspace.digests

    assert workspace.workspace == WorkspaceId("T1")
    assert workspace.editors is None
    assert workspace.managers == WantedManagers()
    assert digest.plan == Plan(
        channel_id="C0OPS", schedule=Schedule(frozenset({0, 4}), time(9), "Europe/Berlin")
    )
    assert (digest.pause, digest.made_at, digest.made_by_name) == (None, None, None)


def test_everything_that_can_be_said_is_read() -> None:
    said = {
        "filter": " tag:prod ",
        "post": "worse",
        "look_every": 30,
        "sign_of_life": 7,
        "worst_shown": 25,
        "scans_a_night": 200,
        "mentions": [{"when": "tag:prod", "who": ["U1", "S1"]}],
        "pause": {"until": "2026-11-20T10:00:00+01:00", "why": "archived", "by": None},
        "made_at": "2026-11-01T00:00:00Z",
    }

    (workspace,) = read_file(a_file(said, organisation="E1", editors="admins")).workspaces

    (digest,) = workspace.digests
    assert (workspace.workspace, workspace.editors) == (WorkspaceId("T1", "E1"), True)
    assert digest.plan.filter_text == "tag:prod"
    assert digest.plan.mode is Mode.WORSE
    assert (digest.plan.heartbeat_every, digest.plan.worst_count) == (7, 25)
    assert (digest.plan.scans_a_night, digest.plan.schedule.every) == (200, 30)
    assert digest.plan.mentions == (Mention(label="tag:prod", who=("U1", "S1")),)
    nine = datetime(2026, 11, 20, 9, tzinfo=UTC)
    assert digest.pause
    assert {*digest.pause} == {
        ("since", None),
        ("until", nine),
        ("by", None),
        ("why", FailureReason.ARCHIVED),
    }
    assert digest.made_at == datetime(2026, 11, 1, tzinfo=UTC)


def test_a_time_that_yaml_takes_for_a_number_is_a_time() -> None:
    raw = a_file({}).replace(b"time: 09:00", b"time: 10:30")

    (workspace,) = read_file(raw).workspaces

    assert workspace.digests[0].plan.schedule.at == time(10, 30)


def test_a_file_of_windows_is_read() -> None:
    raw = b"\xef\xbb\xbf" + a_file({}).replace(b"\n", b"\r\n")

    assert len(read_file(raw).workspaces) == 1
