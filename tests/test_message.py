"""What a message is where no one else reads along."""

import tracemalloc

from bot.message import Message, thread_of
from bot.views.blocks import actions, button, section
from bot.views.text import escaped
from tests.builders import HOSTILE_TEXTS
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


@loop_over("text", [*HOSTILE_TEXTS.values(), "🟢 80"])
def test_a_packed_message_is_the_same_one(text: str) -> None:
    text = escaped(text)
    blocks = section(text), *actions(SCAN, SHARE)
    for message in (Message(text, blocks, (section(text),)), Message(text, blocks), Message(text)):
        packed = Message(message.text, message.blocks, message.plain)

        packed.pack()
        packed.pack()

        assert packed == message
        assert (packed.as_args(), packed.fallback()) == (message.as_args(), message.fallback())


def test_what_is_packed_takes_little_memory() -> None:
    tracemalloc.start()
    try:
        message = Message("Text", tuple(section(f"Row {number}") for number in range(200)))
        drawn, _ = tracemalloc.get_traced_memory()
        message.pack()
        packed, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert packed < drawn / 4
