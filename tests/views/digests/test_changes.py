from datetime import timedelta

from bot.digests.report import baseline_of, make_report
from bot.message import Message
from bot.portfolio.end_dates import KnownEnds
from bot.portfolio.query import index_by_host
from bot.views.digests.post import digest_message
from tests.builders import MOMENT, a_domain, ending
from tests.digests.builders import (
    a_post,
    a_report,
)
from tests.loops import loop_over
from tests.views.acceptance import shown_text
from tests.views.digests.parts import everywhere, rows, taken


def test_each_kind_of_change_is_told_everywhere() -> None:
    now = {"fell.example": 41, "rose.example": 90, "new.example": 93, "lost.example": None,
           "found.example": 70, "same.example": 77}  # fmt: skip
    before = {"fell.example": 82, "rose.example": 85, "gone.example": 64, "lost.example": 90,
              "found.example": None, "same.example": 76}  # fmt: skip

    message = taken(digest_message(a_post(report=a_report(now, before))))

    for words in (
        "1 domain got worse",
        "1 domain without a score, 1 had one before",
        "1 domain gone",
        "1 domain new",
        "1 domain got better",
        "1 domain with a score now",
    ):
        assert everywhere(message, words), words
    assert "Nothing changed" not in shown_text(message)


def test_a_fall_into_another_band_names_both() -> None:
    now, before = {"a.example": 41, "b.example": 86}, {"a.example": 82.5, "b.example": 100}

    message = digest_message(a_post(report=a_report(now, before)))

    text = shown_text(message).replace("\N{NO-BREAK SPACE}", " ")
    assert "• `a.example`  🟢 82.5 good → 🔴 41 poor  ▼ \N{MINUS SIGN}41.5" in text
    assert "• `b.example`  100 → 🟢 86 good  ▼ \N{MINUS SIGN}14" in text
    assert "a.example from 82.5 (good) to 41 (poor); b.example from 100 to 86 (good)." in (
        message.text
    )


@loop_over(
    ("second", "words"),
    [(86, "2 domains got worse, 1 into a lower band*"), (40, "2 domains got worse*\n")],
    ids=["one of two", "both"],
)
def test_how_many_came_into_another_band_is_told_unless_it_is_all(second: int, words: str) -> None:
    report = a_report({"a.example": 41, "b.example": second}, {"a.example": 82, "b.example": 100})

    text = shown_text(digest_message(a_post(report=report)))

    assert words.replace("*", "") in text.replace("*", "")


def test_what_was_lost_is_told_before_what_never_had_a_score() -> None:
    now = {"a.example": None, "b.example": None, "lost.example": None}

    message = digest_message(a_post(report=a_report(now, {"lost.example": 90, "a.example": None})))

    assert "`lost.example` (was 🟢 90 good), `a.example`, `b.example`" in shown_text(message)


def test_long_lists_say_how_many_more() -> None:
    names = [f"d{number:02}.example" for number in range(12)]
    new = {f"new-{name}": 90.0 for name in names}
    report = a_report(dict.fromkeys(names, 60.0) | new, dict.fromkeys(names, 70.0))

    message = taken(digest_message(a_post(report=report)))

    assert "• `d04.example`" in shown_text(message)
    assert "d05.example" not in shown_text(Message("", message.blocks[:5]))
    assert "• and 7 more" in shown_text(message)
    assert "d04.example from 70 to 60 (fair); and 7 more." in message.text
    assert "12 domains new*: `new-d00.example` 🟢 90 good," in shown_text(message)
    assert everywhere(message, "and 9 more")


def test_a_digest_in_which_nothing_changed_says_so() -> None:
    scores = {"a.example": 41.0}

    message = digest_message(a_post(report=a_report(scores, scores)))

    assert everywhere(message, "Nothing changed since the last digest: no score moved by 5 points")


def test_a_digest_with_nothing_to_compare_with_tells_no_changes() -> None:
    message = taken(digest_message(a_post(report=a_report({"a.example": 41, "b.example": None}))))

    assert "nothing to compare with yet" in shown_text(message)
    assert "Nothing changed" not in shown_text(message)
    assert rows(message)[0] == ["Domain", "Health", "State"]
    assert everywhere(message, "1 domain without a score: b.example")


def test_with_a_filter_new_and_gone_may_be_about_the_filter() -> None:
    report = a_report({"new.example": 60}, {"gone.example": 60})

    message = digest_message(a_post(report=report, filter_text="below:70"))

    assert everywhere(message, "1 domain new, or matching the filter now: new.example")
    assert everywhere(message, "1 domain gone, or no longer matching the filter: gone.example")


def test_what_ends_within_30_days_is_told_everywhere_with_its_age() -> None:
    domains = [a_domain(f"{letter}.ex", 90) for letter in "abcdefgh"]
    index, day = index_by_host(domains), timedelta(days=1)
    rows = {host: ending(place, age=2 * day) for place, host in enumerate(index, -1)}
    baseline = baseline_of(index, MOMENT - day, KnownEnds(rows, MOMENT - day))
    ends = KnownEnds(rows | {"h.ex": ending(300)}, MOMENT)
    report = make_report(index, baseline, worst_count=3, ends=ends)

    message = taken(digest_message(a_post(report=report, sent_at=MOMENT)))

    heading = "Ends within 30 days (1 came to 30, 14, 7 or 1 days since the last digest)"
    assert everywhere(message, heading)
    assert everywhere(message, "registration expired 1 day ago (as scanned 2 days ago)")
    assert everywhere(message, "registration expires in 3 days (as scanned 2 days ago)")
    assert everywhere(message, "and 2 more")
    assert not everywhere(message, "in 4 days")
    assert "Nothing changed" not in shown_text(message)
