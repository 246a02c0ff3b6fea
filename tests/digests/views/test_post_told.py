"""What a channel reads of what people did with its digests, and first scores below fair."""

from bot.digests.report import fallen, got_worse
from bot.digests.views.post import digest_message, told_message
from tests.blocks.acceptance import shown_text
from tests.builders import HOSTILE_TEXTS
from tests.digests.builders import a_digest, a_post, a_report
from tests.digests.views.parts import taken
from tests.loops import loop_over


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_channel_reads_who_did_what_in_one_line(text: str) -> None:
    taken(told_message(a_digest(name=text), text, "⏸️ paused"))

    message = taken(told_message(a_digest(name="Prod"), "Ada", "⏸️ paused", " until 30 Nov"))
    assert message.text == (
        "Ada paused the digest Prod, Mon–Fri at 09:00 (Europe/Berlin) until 30 Nov."
    )


def test_a_first_score_below_fair_is_worse_and_a_better_one_is_not() -> None:
    poor = a_report({"a.example": 41, "b.example": 60}, {"a.example": None, "b.example": None})
    fair = a_report({"b.example": 60}, {"b.example": None})

    text = shown_text(taken(digest_message(a_post(report=poor))))

    assert got_worse(poor)
    assert not got_worse(fair)
    assert fallen(poor) == ("a.example",)
    assert "📉 *1 domain with a first score below fair*" in text
    assert "1 domain with a score now: *b.example*" in text
