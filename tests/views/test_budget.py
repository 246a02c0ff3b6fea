import re
from datetime import datetime, timedelta

from bot.shared_limits import Allowance, Usage
from bot.tracker.rate_limit import WINDOW_S, BudgetState
from bot.views.api_key import budget_lines, left_text
from bot.views.text import moment_token
from bot.workspace import KEY_CHECK, OTHER, Caller, digests_of, person
from tests.builders import MOMENT
from tests.loops import loop_over

PLENTY = BudgetState(remaining=1_234, told_ago_s=170, highest_seen=2_000)


def lines(
    budget: BudgetState = PLENTY, *shares: tuple[Caller, int], span_s: float = WINDOW_S
) -> list[str]:
    return budget_lines(Allowance(budget, Usage(span_s, shares)), MOMENT)


def ago(seconds: float) -> datetime:
    return MOMENT - timedelta(seconds=seconds)


def test_what_is_left_says_when_that_was_told() -> None:
    assert lines()[0] == f"1,234 requests left this hour, as of {moment_token(ago(170))}."


def test_without_markup_the_moment_has_its_zone() -> None:
    text = "1,234 requests left this hour, as of 1 Mar 2030, 14:02 UTC."

    assert left_text(PLENTY, MOMENT) == text


def test_no_line_tells_an_age_that_is_wrong_when_it_is_read_later() -> None:
    waiting = BudgetState(remaining=7, told_ago_s=5, wait_s=40, highest_seen=1_000)

    for line in lines(waiting, (person("U1"), 1), span_s=38):
        assert not re.search(r"\d (s|min|h)\b|\bago\b", line)


@loop_over("budget", [None, BudgetState(), BudgetState(highest_seen=1_000)])
def test_what_nobody_told_is_not_guessed(budget: BudgetState | None) -> None:
    assert left_text(budget, MOMENT) == "Requests left this hour: not known yet."


def test_without_a_key_there_is_nothing_else_to_say() -> None:
    assert budget_lines(None, MOMENT) == [left_text(None, MOMENT)]


def test_the_reserve_for_digests_is_said() -> None:
    assert lines()[1] == "The last 100 are reserved for digests."


def test_a_reserve_that_is_reached_says_who_has_to_wait() -> None:
    reached = BudgetState(remaining=100, told_ago_s=1, highest_seen=2_000)

    assert lines(reached)[1] == "⚠️ The last 100 are reserved for digests. Commands have to wait."


def test_a_small_allowance_has_no_reserve_to_speak_of() -> None:
    small = BudgetState(remaining=0, told_ago_s=1, highest_seen=19)

    assert not any("reserved for digests" in line for line in lines(small))


@loop_over(("wait_s", "minutes"), [(40, 1), (60, 1), (60.5, 2)])
def test_a_wait_is_said_with_its_end_and_never_too_early(wait_s: float, minutes: int) -> None:
    waiting = BudgetState(remaining=0, told_ago_s=1, wait_s=wait_s, highest_seen=1_000)
    end = MOMENT + timedelta(minutes=minutes)

    assert f"⏸️ Rate limit reached; resuming {moment_token(end)}." in lines(waiting)[2]


def test_whoever_used_requests_is_named() -> None:
    text = lines(PLENTY, (person("U1"), 1_012), (digests_of("C1"), 3), (KEY_CHECK, 2))[-1]

    assert text == ("Used in the last hour: <@U1> 1,012, digests of <#C1> 3, checks of the key 2.")


def test_behind_the_first_five_the_rest_is_summed_up() -> None:
    shares = [(OTHER, 90), *((person(f"U{number}"), 9 - number) for number in range(1, 8))]

    text = lines(PLENTY, *shares)[-1]

    assert text.endswith("<@U4> 5, <@U5> 4, others 95.")


def test_others_alone_are_no_empty_list() -> None:
    assert lines(PLENTY, (OTHER, 4))[-1] == "Used in the last hour: others 4."


def test_after_a_start_it_says_since_when_it_counts() -> None:
    text = lines(PLENTY, (person("U1"), 1), span_s=600)[-1]

    assert text == f"Used since {moment_token(ago(600))}: <@U1> 1."


def test_an_hour_without_requests_is_said() -> None:
    assert lines()[-1] == "No requests in the last hour."
