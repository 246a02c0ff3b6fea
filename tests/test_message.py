"""What a message is where no one else reads along."""

from bot.message import Message
from bot.views.blocks import actions, button, section

SCAN, SHARE = button("Scan", "run.here.0.scan"), button("Share", "share.scan", "shop.example")


def test_a_message_for_one_person_has_nothing_to_share_and_all_the_rest() -> None:
    rich = (section("Rich"), *actions(SCAN, SHARE))
    message = Message("Text", rich, (section("Plain"), *actions(SHARE)))

    alone = message.for_one()

    assert alone == Message("Text", (section("Rich"), *actions(SCAN)), (section("Plain"),))
    assert message.blocks == rich


def test_a_message_without_a_twin_stays_without_one() -> None:
    assert Message("Text").for_one().fallback() is None
