"""The question before a list of domains is added, and its summary."""

from bot.message import Message
from bot.portfolio.add_domain import NewDomain
from bot.portfolio.add_many import MAX_DOMAINS, NewDomains, Outcome, Report
from bot.shared_limits import Allowance, Usage
from bot.tracker.models import RateLimitedError
from bot.tracker.rate_limit import WINDOW_S, BudgetState
from bot.views.adddomain_list import list_question, list_summary, progress_message
from bot.views.errors import failure_message
from tests.builders import HOSTILE_TEXTS, MOMENT, facts_for
from tests.loops import loop_over
from tests.views.acceptance import assert_slack_takes, buttons, shown_text

HOSTS = tuple(
    f"{'a' * 63}.{'b' * 63}.{'c' * 63}.n{number}.example" for number in range(MAX_DOMAINS)
)


def wanted(*hosts: str, text: str = "note") -> NewDomains:
    domains = (
        NewDomain(host=host, domain_type=text, tags=(text,) * 20, folder=text) for host in hosts
    )
    return NewDomains(tuple(domains), notes=(text,) * 3, repeated=1)


def question(new: NewDomains, *listed: str) -> Message:
    budget = BudgetState(remaining=500, told_ago_s=5, highest_seen=1_000)
    allowance = Allowance(budget, Usage(WINDOW_S, ()))
    return list_question("3-domains-x", new, listed, allowance, MOMENT)


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_the_longest_list_with_any_text_is_taken(text: str) -> None:
    report = Report(wanted(*HOSTS, text=text))
    for number, host in enumerate(HOSTS[:-20]):
        report.outcomes[host] = list(Outcome)[number % 4]
        report.reasons[host] = text
    why = failure_message(RateLimitedError(40), facts_for())

    assert_slack_takes(question(report.new, *HOSTS[:100]))
    assert_slack_takes(progress_message(report))
    assert_slack_takes(list_summary("200-domains-x", report, why))
    assert_slack_takes(list_summary("200-domains-x", Report(report.new)))


def test_a_question_names_what_it_costs() -> None:
    new = wanted("a.example", "b.example", "c.example")

    message = question(new, "b.example")

    assert message.text.startswith(
        "Add 2 domains? 1 is already there, 3 are not domains, 1 is repeated."
    )
    assert "This takes 4 requests. 500 requests left this hour" in shown_text(message)
    assert buttons(message) == {"Add": "3-domains-x"}


def test_there_is_nothing_to_press_where_nothing_is_to_add() -> None:
    message = question(wanted("a.example"), "a.example")

    assert message.text.startswith("There is nothing to add. 1 is already there")
    assert buttons(message) == {}


def test_a_list_that_was_added_whole_offers_nothing_to_try_again() -> None:
    report = Report(wanted("a.example", "b.example"))
    report.outcomes = dict.fromkeys(report.new.hosts, Outcome.ADDED)

    message = list_summary("2-domains-x", report)

    assert message.text == "✅ Added 2 of 2 domains. Added (2): a.example, b.example"
    assert "✅ *Added 2 of 2 domains.*" in shown_text(message)
    assert [*buttons(message)] == ["All domains"]


def test_the_reason_of_an_early_end_stands_first_with_one_button_to_go_on() -> None:
    report = Report(wanted("a.example", "b.example"), {"a.example": Outcome.UNKNOWN})
    why = failure_message(RateLimitedError(40), facts_for(command_line="/adddomain x"))

    message = list_summary("2-domains-x", report, why)

    assert message.text.startswith("The API key's rate limit is reached.")
    assert "Added 0 of 2 domains. Not tried (1)" in message.text
    assert buttons(message)["Try again"] == "/adddomain list:2-domains-x"
