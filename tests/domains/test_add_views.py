from bot.blocks.message import Message
from bot.domains.add_views import (
    MAX_OFFERED,
    add_form,
    added_message,
    already_added_message,
    label_options,
    list_question,
    list_summary,
    progress_message,
)
from bot.domains.adding import (
    MAX_DOMAINS,
    MAX_LABEL_CHARS,
    MAX_TAGS,
    AddOutcome,
    AddReport,
    NewDomains,
)
from bot.tracker.models import Domain, NewDomain, RateLimitedError
from bot.tracker.rate_limit import Allowance
from tests.blocks.acceptance import (
    assert_slack_takes,
    assert_slack_takes_form,
    assert_slack_takes_options,
    buttons,
    shown_text,
)
from tests.builders import HOSTILE_TEXTS, KEY, MOMENT, a_domain, facts_for, failure_message
from tests.loops import loop_over


def offered(used: list[str], typed: str) -> list[str]:
    options = label_options(used, typed)
    assert_slack_takes_options(options)
    return [option["value"] for option in options]


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_strangers_wrote_does_nothing(text: str) -> None:
    listed = a_domain(text, 41, tags=(text,) * 50, folder=text, domain_type=text)

    assert_slack_takes(added_message("shop.example", listed))
    assert_slack_takes(added_message(text, None))
    assert_slack_takes(added_message(text, listed))
    assert_slack_takes(already_added_message(text, listed))
    assert_slack_takes_options(label_options([text, text[:100]], text[:100]))


def test_what_the_service_now_holds_is_shown() -> None:
    listed = a_domain(score=84.5, tags=("prod", "eu"), folder="Web shops", domain_type="owned")

    message = added_message("shop.example", listed)

    assert message.text == (
        "Added shop.example. Health: 84.5 good. Type: owned. Folder: Web shops. Tags: prod, eu."
    )
    assert buttons(message) == {"Scan": "/scan shop.example", "All domains": "/domains"}


def test_what_the_service_did_not_say_is_a_dash_and_no_number() -> None:
    text = already_added_message("shop.example", Domain(domain="shop.example")).text

    assert text == (
        "shop.example is already in your portfolio."
        " Health: no score yet. Type: –. Folder: –. Tags: –."
    )


@loop_over("size", [0, 3_000])
def test_slack_takes_the_form(size: int) -> None:
    assert_slack_takes_form(add_form("x" * size, owned_type="&" * MAX_LABEL_CHARS))


def test_the_form_asks_for_everything_and_insists_on_what_is_needed() -> None:
    form = add_form("meta", owned_type="owned")

    fields = {b["label"]["text"]: b for b in form["blocks"] if b["type"] == "input"}
    assert {name: field["optional"] for name, field in fields.items()} == {
        "Domain": False,
        "Type": False,
        "Folder": True,
        "Tags": True,
    }
    assert fields["Type"]["element"]["initial_option"]["value"] == "owned"
    assert fields["Tags"]["element"]["max_selected_items"] == MAX_TAGS


@loop_over(
    ("typed", "values"),
    [
        ("", ["Prod", "test", "produce"]),
        ("PROD", ["Prod", "produce"]),
        (" prod ", ["Prod", "produce"]),
        ("es", ["test", "es"]),
        ("new one", ["new one"]),
    ],
)
def test_labels_in_use_are_offered_and_what_is_new_last(typed: str, values: list[str]) -> None:
    assert offered(["Prod", "test", "produce"], typed) == values


def test_a_hundred_labels_are_offered_and_what_is_new_is_called_so_and_is_among_them() -> None:
    used = [f"label {number}" for number in range(500)]

    assert len(offered(used, "")) == len(offered(used, "label")) == MAX_OFFERED
    assert offered(used, "label")[-1] == "label"
    assert ["description" in each for each in label_options(["prod"], "pro")] == [False, True]


@loop_over("label", ["x" * (MAX_LABEL_CHARS + 1), f"key {KEY}", ""], ids=["long", "key", "empty"])
def test_a_label_that_cannot_be_sent_back_is_not_offered(label: str) -> None:
    assert offered([label, "prod"], "") == ["prod"]
    assert offered([], label) == []


HOSTS = tuple(
    f"{'a' * 63}.{'b' * 63}.{'c' * 63}.n{number}.example" for number in range(MAX_DOMAINS)
)


def wanted(*hosts: str, text: str = "note") -> NewDomains:
    domains = (
        NewDomain(host=host, domain_type=text, tags=(text,) * 20, folder=text) for host in hosts
    )
    return NewDomains(tuple(domains), notes=(text,) * 3, repeated=1)


def question(new: NewDomains, *listed: str) -> Message:
    budget = Allowance(remaining=500, age_s=5, highest_seen=1_000)
    return list_question("3-domains-x", new, listed, budget, MOMENT)


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_the_longest_list_with_any_text_is_taken(text: str) -> None:
    report = AddReport(wanted(*HOSTS, text=text))
    for number, host in enumerate(HOSTS[:-20]):
        report.outcomes[host] = list(AddOutcome)[number % 4]
        report.reasons[host] = text
    why = failure_message(RateLimitedError(40), facts_for())

    assert_slack_takes(question(report.new, *HOSTS[:100]))
    assert_slack_takes(progress_message(report))
    assert_slack_takes(list_summary("200-domains-x", report, why))
    assert_slack_takes(list_summary("200-domains-x", AddReport(report.new)))


def test_a_question_names_what_it_costs() -> None:
    new = wanted("a.example", "b.example", "c.example")

    message = question(new, "b.example")

    assert message.text.startswith("Add 2 domains? New (2): a.example, c.example.")
    assert "Already there (1): b.example. Not a domain (3): note" in message.text
    assert "Repeated (1)." in message.text
    assert "This takes 4 requests. 500 requests left this hour" in shown_text(message)
    assert buttons(message) == {"Add": "3-domains-x", "Cancel": ""}


def test_there_is_nothing_to_press_where_nothing_is_to_add() -> None:
    message = question(wanted("a.example"), "a.example")

    assert message.text.startswith("There is nothing to add. Already there (1): a.example.")
    assert buttons(message) == {}


def test_a_list_that_was_added_whole_offers_nothing_to_try_again() -> None:
    report = AddReport(wanted("a.example", "b.example"))
    report.outcomes = dict.fromkeys(report.new.hosts, AddOutcome.ADDED)

    message = list_summary("2-domains-x", report)

    assert message.text.startswith("Added 2 of 2 domains. Added (2): a.example, b.example.")
    assert buttons(message)["Scan them"] == "/scan a.example b.example"
    assert [*buttons(message)] == ["Scan them", "All domains"]


def test_the_reason_of_an_early_end_stands_first_with_one_button_to_go_on() -> None:
    report = AddReport(wanted("a.example", "b.example"), {"a.example": AddOutcome.UNKNOWN})
    why = failure_message(RateLimitedError(40), facts_for(command_line="/adddomain x"))

    message = list_summary("2-domains-x", report, why)

    assert message.text.startswith("The API key's rate limit is reached.")
    assert "Added 0 of 2 domains. Not tried (1)" in message.text
    assert buttons(message)["Try again"] == "/adddomain list:2-domains-x"
