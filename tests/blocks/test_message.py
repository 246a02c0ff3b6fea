"""What a message is where no one else reads along."""

from bot.blocks.builders import actions, button, raw_number, raw_text, section
from bot.blocks.message import Message, thread_of
from tests.loops import loop_over

SCAN, SHARE = button("Scan", "run.here.0.scan"), button("Share", "share.scan", "shop.example")


def test_a_message_for_one_person_has_nothing_to_share_and_all_the_rest() -> None:
    rich = (section("Rich"), *actions(SCAN, SHARE))
    message = Message("Text", rich)

    assert message.with_shares(None) == Message("Text", (section("Rich"), *actions(SCAN)))
    assert message.blocks == rich
    unshared = Message("Text", tuple(actions(SCAN)))
    assert unshared.with_shares(None) == unshared


def test_in_a_thread_the_button_says_so_and_carries_the_thread() -> None:
    message = Message("Text", (section("Rich"), *actions(SCAN, SHARE)))

    [_, row] = message.with_shares("1.25").blocks

    assert [each["text"]["text"] for each in row["elements"]] == ["Scan", "Share in thread"]
    assert row["elements"][1]["value"] == "shop.example"
    assert thread_of(row["elements"][1]["action_id"]) == "1.25"
    assert message.with_shares("1.25").with_shares(None) == message.with_shares(None)


@loop_over("action_id", ["share.scan", "run.here.0.share", "scan.section.show", ""])
def test_other_buttons_carry_no_thread(action_id: str) -> None:
    assert thread_of(action_id) is None


def test_a_table_and_a_chart_stand_in_the_twin_as_lines() -> None:
    table = {
        "type": "data_table",
        "caption": "All 2 domains",
        "rows": [
            [raw_text("Domain"), raw_text("Health"), raw_text("Rating")],
            [raw_text("a.example"), raw_number(41, "41"), raw_text("🔴 poor")],
            [raw_text("b.example"), raw_number(-1, "–"), raw_text("⚪ unknown")],
        ],
    }
    points = [{"label": "1 May", "value": 41}, {"label": "2 May", "value": 42.5}]
    series = [{"name": "Average", "data": points}]
    chart = {"type": "data_visualization", "title": "Health", "chart": {"series": series}}

    fallback = Message("Text", (section("Rich"), table, chart)).fallback()

    assert fallback
    assert [block["text"]["text"] for block in fallback.blocks] == [
        "Rich",
        "All 2 domains\na.example  ·  Health 41  ·  🔴 poor\nb.example  ·  ⚪ unknown",
        "Health\nAverage: 1 May 41, 2 May 42.5",
    ]
    assert fallback.fallback() is None
