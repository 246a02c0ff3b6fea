import pytest

from bot.ops.doctor import check_tracker
from bot.ops.output import Finding, Mark
from bot.tracker.models import TimedOutError

URL = "https://tracker.example/base"


async def checked(status: int | None, url: str = URL) -> Finding:
    async def look() -> int | None:
        return status

    (finding,) = await check_tracker(look(), url)
    return finding


async def test_something_else_is_a_failure_with_its_status() -> None:
    finding = await checked(404)

    assert finding.mark is Mark.FAIL
    assert "with status 404" in finding.detail
    assert "in front of /api/tools/domain-tracker" in finding.hint


async def test_no_answer_is_a_failure() -> None:
    async def look() -> int | None:
        raise TimedOutError("ConnectTimeout at GET /api", is_outcome_unknown=False)

    (finding,) = await check_tracker(look(), URL)

    assert finding.mark is Mark.FAIL
    assert f"no answer from {URL} (ConnectTimeout" in finding.detail


@pytest.mark.parametrize(
    ("url", "mark"),
    [
        ("http://tracker.example", Mark.WARN),
        ("http://192.0.2.1:8080", Mark.WARN),
        ("http://localhost:8080", Mark.OK),
        ("http://127.0.0.1:8080", Mark.OK),
        ("http://[::1]:8080", Mark.OK),
        ("https://tracker.example", Mark.OK),
    ],
)
async def test_keys_on_an_open_line_are_a_warning(url: str, mark: Mark) -> None:
    assert (await checked(None, url)).mark is mark
