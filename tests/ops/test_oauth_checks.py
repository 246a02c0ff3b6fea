import pytest

from bot.ops.doctor_slack import check_client, check_public_url
from bot.ops.output import Mark
from bot.slack.auth import Answer
from bot.slack.errors import SlackError, SlackRefusedError, SlackUnreachableError

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://bot.example"
ALIVE = '{"status": "alive"}'


OK, WARN, FAIL = Mark.OK, Mark.WARN, Mark.FAIL
ID, SECRET = "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"


@pytest.mark.parametrize(
    ("error", "marks"),
    [
        (SlackRefusedError("invalid_code"), [(ID, OK), (SECRET, OK)]),
        (SlackRefusedError("bad_client_secret"), [(ID, OK), (SECRET, FAIL)]),
        (SlackRefusedError("invalid_client_id"), [(ID, FAIL)]),
        (SlackRefusedError("something_new"), [(SECRET, WARN)]),
        (SlackUnreachableError("ClientConnectorError"), [(f"{ID}, {SECRET}", WARN)]),
        (None, [(SECRET, WARN)]),
    ],
    ids=["right", "secret", "id", "other", "silence", "taken"],
)
async def test_the_refusal_of_a_made_up_code_tells_what_slack_thinks_of_the_client(
    error: SlackError | None, marks: list[tuple[str, Mark]]
) -> None:
    asked: list[str] = []

    async def exchange(code: str) -> None:
        asked.append(code)
        if error:
            raise error

    findings = await check_client(exchange)

    assert [(finding.about, finding.mark) for finding in findings] == marks
    assert all(bool(finding.mend) is (finding.mark is not OK) for finding in findings)
    assert len(asked) == 1  # Slack counts such calls


@pytest.mark.parametrize(
    ("answer", "mark", "said"),
    [
        (Answer(status=200, body=ALIVE), Mark.OK, "the bot answers at"),
        (Answer(status=200, body="<html>parked"), Mark.WARN, "which is not the bot"),
        (Answer(status=301, body=ALIVE), Mark.WARN, "with status 301"),
        (Answer(error="ClientConnectorDNSError"), Mark.WARN, "ClientConnectorDNSError"),
    ],
    ids=["the bot", "something else", "a redirect", "no such name"],
)
async def test_the_public_address_is_asked_for_the_bot(
    answer: Answer, mark: Mark, said: str
) -> None:
    async def look() -> Answer:
        return answer

    (finding,) = await check_public_url(look, PUBLIC_URL)

    assert finding.mark is mark
    assert said in finding.said
    assert "https://bot.example/healthz" in finding.said
    assert bool(finding.mend) is (mark is Mark.WARN)
