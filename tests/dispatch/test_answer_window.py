"""The window over the Home tab in which an answer is read."""

from bot.blocks.builders import notice
from bot.blocks.message import Message
from bot.dispatch.request import fits_window, summary_window
from bot.dispatch.usage import STILL_WORKING
from bot.domainkey.views import works_message
from bot.domains.query import Query
from bot.domains.views import domains_message
from bot.scans.views import scan_message
from tests.blocks.acceptance import assert_slack_takes_form, buttons
from tests.builders import a_domain, a_key_record, a_report, a_snapshot
from tests.loops import loop_over

URL = "slack://app?team=T1&id=A1&tab=messages"


def a_list() -> Message:
    domain = a_domain()
    return domains_message(a_snapshot(domain), [domain], Query())


@loop_over("message", [STILL_WORKING, works_message(a_key_record(), 3)])
def test_a_short_answer_is_read_whole(message: Message) -> None:
    assert fits_window(message)
    assert_slack_takes_form(notice("Domain Tracker", list(message.blocks)))


@loop_over("message", [a_list(), scan_message(a_report())])
def test_a_shortened_table_links_to_the_whole(message: Message) -> None:
    summary = summary_window(message, URL)
    window = notice("Domain Tracker", list(summary.blocks))

    assert not fits_window(message)
    assert fits_window(summary)
    assert_slack_takes_form(window)
    assert "shop.example" in str(window)
    assert list(buttons(window)) == ["Open messages"]
    assert "slack://app?team=T1&id=A1&tab=messages" in str(window)


def test_the_way_to_the_whole_stands_below_the_sections_of_a_scan() -> None:
    summary = summary_window(scan_message(a_report()), URL)

    kinds = [block["type"] for block in summary.blocks]
    # Head, no issues known, what is not included, no end dates, four sections.
    assert kinds == ["header", *["section"] * 8, "context", "actions"]
