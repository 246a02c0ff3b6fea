"""Whatever happens, no slot is posted twice, and none is lost without being recorded."""

import contextlib
from collections import Counter
from datetime import UTC, datetime, time, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bot.digests import ledger
from bot.digests.changes import Editor, made, paused, resumed, sending
from bot.digests.digest import Outcome, Plan, RunState, Trouble
from bot.digests.errors import DigestBusyError, JustSentError, LostClaimError
from bot.digests.schedule import Schedule, slots_until

BOB = Editor(user_id="U0BOB", name="bob")
START = datetime(2026, 10, 24, 12, 0, tzinfo=UTC)  # the clocks change in the night
SCHEDULE = Schedule(frozenset({0, 2, 4, 5, 6}), time(2, 30), "Europe/Berlin")
WAITS = st.sampled_from([1, 30, 59, 61, 600, 3600, 20_000, 90_000, 400_000])
TROUBLES = st.sampled_from([Trouble.SERVICE, Trouble.KEY, Trouble.SLACK])


class DigestMachine(RuleBasedStateMachine):
    """A digest with any number of workers, some of whom die or come too late."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.digest = made("d1", Plan(channel_id="C1", schedule=SCHEDULE), BOB, START)
        self.tokens: list[str] = []
        self.posts: Counter[datetime] = Counter()
        self.ended: dict[datetime, Outcome] = {}
        self.unwanted: set[datetime] = set()

    @rule(seconds=WAITS)
    def time_goes_by(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def a_worker_takes_it_up(self) -> None:
        self.tokens.append(f"worker-{len(self.tokens)}")
        self.digest = ledger.taken_up(self.digest, self.now, self.tokens[-1])

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), trouble=TROUBLES)
    def it_has_to_wait(self, data: st.DataObject, trouble: Trouble) -> None:
        token = data.draw(st.sampled_from(self.tokens))
        with contextlib.suppress(LostClaimError):
            if ledger.own_run(self.digest, token).state is RunState.CLAIMED:
                self.digest = ledger.waiting(self.digest, token, self.now, trouble)

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), lives=st.booleans())
    def a_worker_posts(self, data: st.DataObject, lives: bool) -> None:
        token = data.draw(st.sampled_from(self.tokens))
        try:
            run = ledger.own_run(self.digest, token)
            if run.state is not RunState.CLAIMED:
                return
            average = 80.0
            self.digest = ledger.posting(
                self.digest, token, self.now, baseline="a", average=average
            )
        except LostClaimError:
            return
        if not run.is_extra:
            self.posts[run.slot.due_at] += 1
        if lives:
            self.digest = ledger.posted(self.digest, token, self.now)

    @rule()
    def somebody_sends_it(self) -> None:
        self.tokens.append(f"person-{len(self.tokens)}")
        with contextlib.suppress(DigestBusyError, JustSentError):
            self.digest = sending(self.digest, BOB, self.now, self.tokens[-1])

    @rule(days=st.sampled_from([None, 1, 5]))
    def somebody_pauses_it(self, days: int | None) -> None:
        until = None if days is None else self.now + timedelta(days=days)
        self._want_no_more()
        self.digest = paused(self.digest, BOB, self.now, until=until)

    @rule()
    def somebody_resumes_it(self) -> None:
        self._want_no_more()
        self.digest = resumed(self.digest, BOB, self.now)

    @invariant()
    def no_slot_is_posted_twice(self) -> None:
        assert all(count == 1 for count in self.posts.values())

    @invariant()
    def every_slot_is_recorded_under_way_or_still_to_come(self) -> None:
        self.ended |= {run.slot.due_at: run.outcome for run in self.digest.past}
        if self.digest.pause:
            self._want_no_more()
        due = {slot.due_at for slot in slots_until(SCHEDULE, START, self.now)}
        known = set(self.ended) | self.unwanted
        known |= {self.digest.run.slot.due_at} if self.digest.run else set()
        assert all(slot in known or slot >= self.digest.next.due_at for slot in due)

    @invariant()
    def it_is_due_whenever_something_is_to_be_done(self) -> None:
        due_at = ledger.due_at(self.digest)
        is_held = self.digest.pause and not self.digest.pause.until
        assert due_at is not None or (is_held and not self.digest.run)

    def _want_no_more(self) -> None:
        """Slots that come while it is paused, or were not taken up before, are nobody's loss."""
        due = {slot.due_at for slot in slots_until(SCHEDULE, START, self.now)}
        under_way = {self.digest.run.slot.due_at} if self.digest.run else set()
        is_waiting = self.digest.run and self.digest.run.state is not RunState.POSTING
        self.unwanted |= due - (set() if is_waiting else under_way)


DigestMachine.TestCase.settings = settings(max_examples=300, stateful_step_count=40, deadline=None)
TestDigest = DigestMachine.TestCase
