"""Whatever happens, no slot is posted twice, and none is lost without being recorded."""

import contextlib
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bot.digests import run_state
from bot.digests.edits import Editor, create, paused, resumed, start_manual_run, update
from bot.digests.models import (
    Digest,
    DigestBusyError,
    LostClaimError,
    Outcome,
    Pause,
    Plan,
    RunState,
)
from bot.digests.run_state import settled, take_up, take_up_again
from bot.digests.schedule import Schedule, slots_until
from bot.keys.failures import FailureReason

BOB = Editor(user_id="U0BOB", name="bob")
START = datetime(2026, 10, 24, 12, 0, tzinfo=UTC)  # the clocks change in the night
SCHEDULE = Schedule(frozenset({0, 2, 4, 5, 6}), time(2, 30), "Europe/Berlin")
WAITS = st.sampled_from([1, 30, 59, 61, 600, 3600, 20_000, 90_000, 400_000])
TROUBLES = st.sampled_from([FailureReason.SERVICE, FailureReason.KEY, FailureReason.SLACK])
ENDS = st.sampled_from(["posted", "uncertain", "refused", "closed", "dies"])


class DigestMachine(RuleBasedStateMachine):
    """A digest with any number of workers, some of whom die or come too late."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.digest = create("d1", Plan(channel_id="C1", schedule=SCHEDULE), BOB, START)
        # What each worker has, beside what was stored when it took the digest up.
        self.workers: dict[str, tuple[Digest, Digest]] = {}
        self.pressed, self.taken = 0, 0
        self.is_waited_for = False
        self.sent: Counter[datetime] = Counter()  # asked of Slack, and not surely refused
        # Computed as time goes by, once: all of them again at each step took most of the time.
        self.due: list[datetime] = []
        self.unaccounted: set[datetime] = set()  # due, and neither recorded nor unwanted so far

    @rule(seconds=WAITS)
    def time_goes_by(self, seconds: int) -> None:
        self._it_becomes(self.now + timedelta(seconds=seconds))

    @rule()
    def a_worker_takes_it_up(self) -> None:
        self._settle()
        self.taken += 1
        token = f"worker-{self.taken}"
        taken = take_up(self.digest, self.now, token)
        run = taken.run
        if run and run.token == token:
            self.workers[token] = taken, self.digest
            # What a person sent goes on in a pause, as they were promised.
            assert run.is_extra or not taken.pause

    @precondition(lambda self: self.workers)
    @rule(data=st.data(), trouble=TROUBLES)
    def it_has_to_wait(self, data: st.DataObject, trouble: FailureReason) -> None:
        with contextlib.suppress(LostClaimError):
            digest, token = self._before_a_step(data)
            self.digest = run_state.postpone(digest, token, self.now, trouble)

    @precondition(lambda self: self.workers)
    @rule(data=st.data())
    def it_has_nothing_to_say(self, data: st.DataObject) -> None:
        with contextlib.suppress(LostClaimError):
            digest, token = self._before_a_step(data)
            self.digest = run_state.mark_quiet(digest, token, self.now, baseline="", average=1)

    @precondition(lambda self: self.workers)
    @rule(data=st.data())
    def a_worker_begins_to_post(self, data: st.DataObject) -> None:
        with contextlib.suppress(LostClaimError):
            digest, token = self._before_a_step(data)
            self.digest = run_state.begin_posting(
                digest, token, self.now, baseline="a", average=80
            )

    def _before_a_step(self, data: st.DataObject) -> tuple[Digest, str]:
        """Return the digest that a worker changes; each takes one step before it posts."""
        token = data.draw(st.sampled_from(sorted(self.workers)))
        taken, stored = self.workers.pop(token)
        if self.digest is stored:
            return taken, token
        return take_up_again(self.digest, taken, self.now, token), token

    @precondition(lambda self: self.digest.run and self.digest.run.state is RunState.POSTING)
    @rule(end=ENDS)
    def slack_answers(self, end: str) -> None:
        run = self.digest.run
        assert run is not None
        if end not in {"refused", "closed"} and not run.is_extra:
            self.sent[run.slot.due_at] += 1
        if end == "posted":
            self.digest = run_state.mark_posted(self.digest, run.token, self.now)
        elif end == "refused":
            self.digest = run_state.postpone(self.digest, run.token, self.now, FailureReason.SLACK)
        elif end == "closed":
            if self.digest.pause:  # another one takes its place
                self._want_none_in(self.digest.pause, self.now)
            self.digest = run_state.pause_for_channel(
                self.digest, run.token, self.now, FailureReason.ARCHIVED
            )
        elif end == "uncertain":
            self.digest = run_state.mark_ended(
                self.digest, run.token, self.now, Outcome.UNCERTAIN, FailureReason.SLACK
            )
        else:  # no one knows, and no one says
            self._it_becomes(max(self.now, run.until))
            self._settle()

    @rule()
    def somebody_sends_it(self) -> None:
        self.pressed += 1
        token, was_paused = f"person-{self.pressed}", self.digest.pause
        with contextlib.suppress(DigestBusyError):
            self.digest = start_manual_run(self.digest, BOB, self.now, token)
            self.workers[token] = self.digest, self.digest
            self.is_waited_for = False  # they get the answer to this press
        if was_paused and not self.digest.pause:  # it settled what a dead process had left
            self._want_none_in(was_paused, was_paused.until or self.now)

    @rule(days=st.sampled_from([None, 1, 5]))
    def somebody_pauses_it(self, days: int | None) -> None:
        until = None if days is None else self.now + timedelta(days=days)
        if self.digest.pause:
            self._want_none_in(self.digest.pause, self.now)
        self.digest = paused(self.digest, BOB, self.now, until=until)

    @rule()
    def somebody_resumes_it(self) -> None:
        pause = self.digest.pause
        self.digest = resumed(self.digest, self.now)
        if pause:
            has_ended = pause.until and pause.until <= self.now
            self._want_none_in(pause, pause.until if has_ended and pause.until else self.now)

    @rule(channel_id=st.sampled_from(["C1", "C2"]), words=st.sampled_from(["", "shop"]))
    def somebody_changes_it(self, channel_id: str, words: str) -> None:
        was_paused = self.digest.pause
        plan = replace(self.digest.plan, channel_id=channel_id, filter_text=words)
        version = self.digest.version
        self.digest = update(self.digest, plan, BOB, self.now, version=version)
        if was_paused and not self.digest.pause:
            self._want_none_in(was_paused, self.now)

    @invariant()
    def no_slot_is_posted_twice(self) -> None:
        assert all(count == 1 for count in self.sent.values())

    @invariant()
    def every_slot_is_recorded_under_way_or_still_to_come(self) -> None:
        self.unaccounted -= {run.slot.due_at for run in self.digest.past}
        if self.digest.pause:
            return
        run = self.digest.run
        open_ones = self.unaccounted - {run.slot.due_at} if run else self.unaccounted
        assert all(slot >= self.digest.next.due_at for slot in open_ones)

    @invariant()
    def whoever_was_promised_a_post_waits_for_it_or_is_told(self) -> None:
        run, notices = self.digest.run, self.digest.notices
        is_waited_for = run is not None and run.is_promised
        assert is_waited_for or not self.is_waited_for or any(each.to for each in notices)
        self.is_waited_for = is_waited_for
        self.digest = replace(self.digest, notices=tuple(n for n in notices if not n.to))

    @invariant()
    def no_run_is_tried_within_a_pause(self) -> None:
        run = self.digest.run if self.digest.pause else None
        assert not run or run.is_extra or (run.state is RunState.POSTING and run.is_unwanted)

    @invariant()
    def it_is_due_in_time_and_does_not_spin(self) -> None:
        due_at = run_state.due_at(self.digest)
        if due_at is None:
            assert self.digest.pause
            assert not self.digest.run
            return
        again = take_up(self.digest, max(due_at, self.now), "somebody else")
        is_told = any(notice.retry_at is None for notice in self.digest.notices)
        assert is_told or again != self.digest or due_at > self.now

    def _it_becomes(self, now: datetime) -> None:
        slots = [slot.due_at for slot in slots_until(SCHEDULE, self.now, now)]
        self.due += slots
        self.unaccounted.update(slots)
        self.now = now

    def _settle(self) -> None:
        was_paused = self.digest.pause
        after = settled(self.digest, self.now)
        self.digest = self.digest if after == self.digest else after
        if was_paused and not self.digest.pause:
            self._want_none_in(was_paused, was_paused.until or self.now)

    def _want_none_in(self, pause: Pause, end: datetime) -> None:
        """Slots within a pause are no one's loss."""
        self.unaccounted -= {slot for slot in self.due if pause.since < slot <= end}


DigestMachine.TestCase.settings = settings(max_examples=200, stateful_step_count=40, deadline=None)
TestDigest = DigestMachine.TestCase
