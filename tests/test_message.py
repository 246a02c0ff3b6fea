"""What a message is where no one else reads along."""

from bot.message import Message, thread_of
from bot.views.blocks import actions, button, section
from tests.loops import loop_over

SCAN, SHARE = button("Scan", "run.here.0.scan"), button("Share", "share.scan", "shop.example")


def test_a_message_for_one_person_has_nothing_to_share_and_all_the_rest() -> None:
    rich = (section("Rich"), *actions(SCAN, SHARE))
    message = Message("Text", rich, (section("Plain"), *actions(SHARE)))

    alone = message.for_one()

    assert alone == Message("Text", (section("Rich"), *actions(SCAN)), (section("Plain"),))
    assert message.blocks == rich


def test_a_message_without_a_twin_stays_without_one() -> None:
    assert Message("Text").for_one().fallback() is None


def test_in_a_thread_the_button_says_so_and_carries_the_thread() -> None:
    message = Message("Text", (section("Rich"), *actions(SCAN, SHARE)), tuple(actions(SHARE)))

    [_, row] = message.for_thread("1.25").blocks

    assert [each["text"]["text"] for each in row["elements"]] == ["Scan", "Share in thread"]
    assert row["elements"][1]["value"] == "shop.example"
    assert thread_of(row["elements"][1]["action_id"]) == "1.25"
    assert message.for_thread("1.25").for_one() == message.for_one()


@loop_over("action_id", ["share.scan", "run.here.0.share", "scan.section.show", ""])
def test_other_buttons_carry_no_thread(action_id: str) -> None:
    assert thread_of(action_id) is None


def test_only_what_has_a_button_to_share_it_is_shareable() -> None:
    assert Message("Text", tuple(actions(SHARE))).is_shareable
    assert not Message("Text", tuple(actions(SCAN))).is_shareable
