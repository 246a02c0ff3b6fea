from bot.portfolio.add_domain import MAX_LABEL_CHARS, MAX_TAGS, NewDomain
from bot.tracker.models import Domain
from bot.views.adddomain import (
    MAX_OFFERED,
    add_form,
    added_message,
    already_added_message,
    label_options,
)
from tests.builders import HOSTILE_TEXTS, KEY, a_domain
from tests.loops import loop_over
from tests.views.acceptance import (
    assert_slack_takes,
    assert_slack_takes_form,
    assert_slack_takes_options,
    buttons,
    shown_text,
)

NAME_253 = ".".join(["a" * 63] * 3 + ["b" * 61])


def new_domain(host: str = "shop.example") -> NewDomain:
    return NewDomain(host=host, domain_type="owned")


def offered(used: list[str], typed: str) -> list[str]:
    options = label_options(used, typed)
    assert_slack_takes_options(options)
    return [option["value"] for option in options]


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_strangers_wrote_does_nothing(text: str) -> None:
    listed = a_domain(text, 41, tags=(text,) * 50, folder=text, domain_type=text)

    assert_slack_takes(added_message(new_domain(), listed))
    assert_slack_takes(added_message(new_domain(text), None))
    assert_slack_takes(added_message(new_domain(text), listed))
    assert_slack_takes(already_added_message(text, listed))
    assert_slack_takes_options(label_options([text, text[:100]], text[:100]))


@loop_over("host", [NAME_253, "xn--mnchen-3ya.example", "_dmarc.shop.example"])
def test_any_host_can_be_added(host: str) -> None:
    for listed in (None, Domain(domain=host)):
        assert_slack_takes(added_message(new_domain(host), listed))
        assert_slack_takes(already_added_message(host, Domain(domain=host)))


def test_what_the_service_now_holds_is_shown() -> None:
    listed = a_domain(score=84.5, tags=("prod", "eu"), folder="Web shops", domain_type="owned")

    message = added_message(new_domain(), listed)

    assert message.text == (
        "Added shop.example. Health: 84.5 (good); type: owned; folder: Web shops; tags: prod, eu."
    )
    text = shown_text(message)
    assert "✅ Added *shop.example*." in text
    assert "*Health*\n🟢 84.5 good" in text
    assert "*Type*\nowned" in text
    assert "*Folder*\nWeb shops" in text
    assert "*Tags*\nprod, eu" in text


def test_what_the_service_did_not_say_is_a_dash_and_no_number() -> None:
    text = shown_text(added_message(new_domain(), Domain(domain="shop.example")))

    assert "*Health*\n⚪ unknown" in text
    assert text.count("\n–") == 3


def test_a_domain_that_is_not_listed_yet_was_added_all_the_same() -> None:
    message = added_message(new_domain("xn--mnchen-3ya.example"), None)

    assert message.text == (
        "Added münchen.example (xn--mnchen-3ya.example)."
        " Domain Tracker doesn't list it yet. This can take a moment."
    )
    assert buttons(message) == {"All domains": "/domains"}


def test_a_domain_that_was_there_is_not_said_to_be_added() -> None:
    message = already_added_message("shop.example", a_domain(score=41))

    assert message.text == (
        "shop.example is already in your portfolio."
        " Health: 41 (poor); type: none; folder: none; tags: none."
    )


def test_the_next_step_is_a_scan() -> None:
    pressed = buttons(added_message(new_domain(), a_domain()))

    assert pressed == {"Scan": "/scan shop.example", "All domains": "/domains"}


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


def test_only_what_is_new_is_called_new() -> None:
    notes = ["description" in option for option in label_options(["prod"], "pro")]

    assert notes == [False, True]


def test_a_hundred_labels_are_offered_and_what_is_new_is_among_them() -> None:
    used = [f"label {number}" for number in range(500)]

    assert len(offered(used, "")) == MAX_OFFERED
    assert offered(used, "label")[-1] == "label"
    assert len(offered(used, "label")) == MAX_OFFERED


@loop_over("label", ["x" * (MAX_LABEL_CHARS + 1), f"key {KEY}", ""], ids=["long", "key", "empty"])
def test_a_label_that_cannot_be_sent_back_is_not_offered(label: str) -> None:
    assert offered([label, "prod"], "") == ["prod"]
    assert offered([], label) == []
