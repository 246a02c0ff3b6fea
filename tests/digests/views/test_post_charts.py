from datetime import datetime

from bot.digests.report import TrendPoint
from bot.digests.views.post import details_message, digest_message, trend_chart
from tests.blocks.acceptance import shown_text
from tests.digests.builders import a_post, a_report, a_trend
from tests.digests.views.parts import block, has, rows, taken
from tests.loops import loop_over


def test_the_worst_come_in_a_table_that_says_of_how_many() -> None:
    now = {"a.example": 41, "b.example": 50, "c.example": 77, "d.example": 78, "e.example": 99}
    before = {
        "a.example": 82,
        "b.example": 49.9,
        "d.example": None,
        "e.example": 99,
        "c.example": 76,
    }
    report = a_report(now, before, worst_count=4)

    message = digest_message(a_post(report=report))

    assert block(message, "data_table")["caption"] == "Worst 4 of 5 domains"
    assert rows(message) == [
        ["Domain", "Health", "Change"],
        ["a.example", "🔴 41", "▼ \N{MINUS SIGN}41"],
        ["b.example", "🟡 50", "▲ +0.1"],
        ["c.example", "🟡 77", "▲ +1"],
        ["d.example", "🟡 78", "first score"],
    ]
    assert (
        "Worst 4 of 5 domains. a.example, Health 41, Change down 41. b.example, Health 50,"
        in message.text
    )


@loop_over(
    ("scores", "title"),
    [
        ({"a.example": 41, "b.example": 60}, "All 2 domains, worst first"),
        (
            {"a.example": 41, "b.example": 60, "c.example": None},
            "2 domains with a score, worst first",
        ),
        ({"a.example": 41, "c.example": None}, "1 domain with a score"),
        ({"a.example": 41}, "The only domain"),
    ],
)
def test_a_complete_table_says_so(scores: dict[str, float | None], title: str) -> None:
    message = digest_message(a_post(report=a_report(scores)))

    assert block(message, "data_table")["caption"] == title


def test_readers_can_sort_the_table_by_every_number() -> None:
    report = a_report({"a.example": 41, "b.example": 60}, {"a.example": 82})

    table = block(digest_message(a_post(report=report)), "data_table")

    cells = [row[1:3] for row in table["rows"][1:]]
    assert [[cell["type"] for cell in row] for row in cells] == [["raw_number"] * 2] * 2
    assert [[cell["value"] for cell in row] for row in cells] == [[41, -41], [60, 0]]
    assert table["rows"][2][2]["text"] == "new"


def test_the_twin_has_the_worst_and_the_trend_in_lines() -> None:
    report = a_report({"a.example": 41, "b.example": 90}, {"a.example": 82, "b.example": 90})

    fallback = details_message(a_post(report=report, trend=a_trend([90, 86, 65.5]))).fallback()

    assert fallback
    worst = "a.example  ·  Health 🔴 41  ·  Change ▼ \N{MINUS SIGN}41\nb.example  ·"
    assert worst in shown_text(fallback)
    assert "Average: 18 Nov 90, 19 Nov 86, 20 Nov 65.5" in shown_text(fallback)


@loop_over("averages", [[], [80.0], [80.0, 79.6]], ids=["none", "one", "two"])
def test_fewer_than_three_points_are_no_trend(averages: list[float]) -> None:
    post = a_post(trend=a_trend(averages))

    assert not has(details_message(post), "data_visualization")
    assert "digests" not in digest_message(post).text


def test_of_a_long_trend_the_latest_twenty_are_drawn() -> None:
    message = taken(details_message(a_post(trend=a_trend([float(n) for n in range(30)]))))

    series = block(message, "data_visualization")["chart"]["series"]
    points = series[0]["data"]
    scale = {point["value"] for flat in series[1:] for point in flat["data"]}
    assert scale == {0, 100}  # so the axis reaches from 0 to 100
    assert [point["value"] for point in points] == list(range(10, 30))


def test_labels_of_a_chart_tell_its_points_apart() -> None:
    moments = map(datetime.fromisoformat, ["2026-11-09", "2026-11-20T09:00", "2026-11-20T14:00"])

    [chart] = trend_chart([TrendPoint(moment, 80.0) for moment in moments])

    labels = chart["chart"]["axis_config"]["categories"]
    assert labels == ["9 Nov", "20 Nov", "20 Nov (2)"]
