"""What an import would change, and what it leaves alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.admin import Named
from bot.digests import edits
from bot.digests.edits import Editor
from bot.digests.models import Digest, Pause
from bot.digests.schedule import next_slot
from bot.ops.export_file import Holdings, WorkspaceNames, file_text
from bot.ops.import_diff import Difference, difference_between, difference_lines, imported
from bot.ops.import_file import FileProblemsError, WantedDigest, read_file
from tests.digests.builders import DUE, a_digest, a_past_run, a_schedule
from tests.ops.builders import (
    ACME,
    a_choice,
    a_document,
    a_file,
    a_managers_document,
    a_rights_document,
    holding,
    holdings_of,
)

NOW = datetime(2026, 12, 24, 12, 0, tzinfo=UTC)
ADA = Editor(user_id="U0ADMIN", name="Ada")
HELD = a_digest(
    schedule=a_schedule(days=(0, 4)),
    past=(a_past_run(),),
    baseline="a",
    next=next_slot(a_schedule(days=(0, 4)), NOW),
    version=4,
    changed_by="U9",
    changed_at=DUE,
)
NAMED = WorkspaceNames({ACME: "Acme"})
PAUSE = Pause(since=DUE, until=NOW + timedelta(days=9), by="U1")
PAUSED = replace(HELD, pause=PAUSE)


def wanted(**fields: Any) -> WantedDigest:
    (workspace,) = read_file(a_file(fields)).workspaces
    return workspace.digests[0]


def changed(**fields: Any) -> Digest:
    """Return what becomes of `HELD` when the file differs in these fields."""
    return imported(HELD, wanted(**fields), NOW)


def difference(holdings: Holdings, *digests: dict[str, Any], **workspace: Any) -> Difference:
    return difference_between(holdings, read_file(a_file(*digests, **workspace)), NOW)


def lines(*args: Any, **more: Any) -> list[str]:
    return [*difference_lines(difference(*args, **more), NAMED)]


class TestANewDigest:
    def test_it_begins_with_its_next_slot_from_now(self) -> None:
        digest = imported(None, wanted(made_at="2020-01-01T00:00:00Z", made_by_name="Ada"), NOW)

        assert digest.next == next_slot(digest.plan.schedule, NOW)
        assert (digest.version, digest.rev, digest.past) == (1, 0, ())
        assert (digest.made_by, digest.made_by_name) == ("U0ADMIN", "Ada")
        assert digest.made_at == datetime(2020, 1, 1, tzinfo=UTC)

    def test_a_pause_that_is_over_is_none(self) -> None:
        over = {"by": "U1", "until": "2026-12-01T00:00:00Z"}

        assert imported(None, wanted(pause=over), NOW).pause is None


class TestADigestThatIsThere:
    def test_it_keeps_its_past_and_counts_as_changed_once(self) -> None:
        digest = changed(post="worse", worst_shown=5, pause={"by": "U1"})

        assert digest.past == HELD.past
        assert digest.baseline == "a"
        assert digest.version == 5
        assert digest.next == HELD.next

    def test_a_pause_calls_off_what_waits(self) -> None:
        asked = edits.start_manual_run(HELD, ADA, NOW, "token")

        digest = imported(asked, wanted(pause={"by": "U1"}), NOW)

        assert digest.run is None
        assert digest.pause == Pause(since=NOW, by="U1")

    def test_without_its_pause_it_goes_on_with_the_next_slot(self) -> None:
        digest = imported(PAUSED, wanted(), NOW)

        assert digest.pause is None
        assert digest.next == next_slot(digest.plan.schedule, NOW)

    def test_a_pause_that_has_just_ended_is_left_to_the_bot(self) -> None:
        ended = replace(HELD, pause=Pause(since=DUE, until=NOW - timedelta(hours=1), by="U1"))
        (workspace,) = read_file(file_text(holding(ended)).encode()).workspaces

        assert imported(ended, workspace.digests[0], NOW) is ended

    @pytest.mark.parametrize(
        "fields",
        [
            {"time": "10:00"},
            {"made_by": "U2", "made_by_name": "Bob", "made_at": "2020-01-01T00:00:00Z"},
            {"pause": {"by": "U1", "until": "2020-01-01T00:00:00Z"}},
        ],
        ids=str,
    )
    def test_a_second_import_changes_nothing(self, fields: dict[str, Any]) -> None:
        once = changed(**fields)

        assert imported(once, wanted(**fields), NOW + timedelta(minutes=1)) is once


class TestWhatIsTold:
    def test_each_field_before_and_after(self) -> None:
        said = lines(holding(HELD), {"time": "10:30", "filter": "tag:prod"})

        assert said == [
            "~ Acme (T1): digest d1:",
            '    time: "09:00" -> "10:30"',
            '    filter: "" -> "tag:prod"',
            "0 digests to add, 1 to change, 0 unchanged, 0 not in the file and left alone",
        ]

    def test_a_new_digest_in_one_line(self) -> None:
        said = lines(Holdings(), {"days": ["Mon", "Tue"]})

        assert said[0] == "+ Acme (T1): digest d1: C0OPS, Mon, Tue at 09:00 Europe/Berlin"
        assert said[1].startswith("1 digest to add, 0 to change")

    def test_what_the_file_does_not_name_is_left_alone_and_said(self) -> None:
        other = replace(HELD, digest_id="d2")

        said = lines(holding(HELD, other), {})

        assert said[0] == "  Acme (T1): digest d2: not in the file, left alone"
        assert "1 unchanged, 1 not in the file" in said[1]

    def test_text_of_the_file_does_not_act_on_the_terminal(self) -> None:
        said = lines(holding(HELD), {"filter": "\x1b[31mred"})

        assert all(line.isprintable() for line in said)


class TestEditors:
    def test_what_the_file_does_not_say_stays(self) -> None:
        assert difference(holdings_of([a_rights_document(admins_only=True)])).is_empty

    def test_another_word_is_a_difference(self) -> None:
        holdings = holdings_of([a_rights_document(admins_only=True)])

        assert difference(holdings, editors="members").workspaces[0].admins_only is False


class TestAudiences:
    HELD = holdings_of([a_choice(add="managers", scan="no-guests")])

    def test_another_word_is_a_difference(self) -> None:
        said = lines(self.HELD, who_may={"add": "everyone"})

        assert said[:2] == ["~ Acme (T1): who_may:", '    add: "managers" -> "everyone"']

    def test_without_a_choice_it_is_compared_with_the_default(self) -> None:
        assert difference(Holdings(), who_may={"add": "no-guests"}).is_empty
        assert not difference(Holdings(), who_may={"scan": "managers"}).is_empty


class TestManagers:
    HELD = holdings_of([a_managers_document(Named(("U1", "U2"), ("S1",), 7))])

    @pytest.mark.parametrize(
        ("managers", "after"),
        [
            ({"people": ["U2"], "groups": []}, Named(("U2",), (), 7)),
            ({"people": ["U3"]}, Named(("U3",), ("S1",), 7)),
        ],
        ids=str,
    )
    def test_they_become_those_of_the_file(
        self, managers: dict[str, list[str]], after: Named
    ) -> None:
        (workspace,) = difference(self.HELD, managers=managers).workspaces

        assert (workspace.workspace, workspace.managers[1]) == (ACME, after)

    def test_what_the_file_does_not_say_or_is_so_already_stays(self) -> None:
        same = {"people": ["U1", "U2"], "groups": ["S1"]}

        assert difference(self.HELD).is_empty
        assert difference(self.HELD, managers=same).is_empty


class TestAFullChannel:
    HELD = [replace(HELD, digest_id=f"h{number}") for number in range(20)]  # noqa: RUF012  # never changed

    def test_one_more_is_too_many_and_named(self) -> None:
        with pytest.raises(FileProblemsError) as refusal:
            difference(holding(*self.HELD), {})

        (problem,) = refusal.value.problems
        assert "digests[0].channel: C0OPS would have 21 digests; 20 are the most" in problem

    def test_when_one_moves_away_there_is_a_place(self) -> None:
        assert not difference(holding(*self.HELD), {}, {"id": "h0", "channel": "C0OTHER"}).is_empty

    def test_a_channel_that_was_too_full_before_is_left_so(self) -> None:
        holdings = holding(*self.HELD, HELD)

        assert not difference(holdings, {"post": "worse"}).is_empty


def test_a_digest_of_the_same_id_in_another_workspace_is_another_one() -> None:
    steps = difference(holdings_of([a_document(HELD)]), {}, team="T2")

    assert steps.workspaces[0].changes[0].before is None
    assert steps.left_alone == [(ACME, "d1")]
