import asyncio
import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from bot.process.errors import BotError, log_and_suppress
from bot.process.logs import lines_counted, set_up_logs
from bot.process.redaction import holds_secret
from tests.builders import APP_TOKEN, BOT_TOKEN, KEY, KEY_TAIL

FORMATS = ["console", "json"]
SECRETS = [KEY, BOT_TOKEN, APP_TOKEN]


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


class Log(io.StringIO):
    """A stream that says whether somebody watches it."""

    def __init__(self, log_format: str | None, level: str = "INFO", *, is_watched: bool = False):
        super().__init__()
        self._is_watched = is_watched
        set_up_logs(level, log_format, self)

    def isatty(self) -> bool:
        return self._is_watched

    def lines(self) -> list[str]:
        return self.getvalue().splitlines()


@pytest.mark.parametrize("log_format", FORMATS)
@pytest.mark.parametrize("secret", SECRETS, ids=["key", "bot token", "app token"])
def test_a_secret_is_hidden_in_a_line_a_traceback_and_what_libraries_log(
    secret: str, log_format: str
) -> None:
    log, ours = Log(log_format), structlog.get_logger("bot")

    ours.warning(f"called with {secret}", header=f"Bearer {secret}")
    logging.getLogger("httpx").warning("GET %s with %r", f"https://x/?k={secret}", {"t": secret})
    try:
        raise RuntimeError(f"refused {secret}")
    except RuntimeError:
        ours.exception("unforeseen failure")

    for words in ("called with", "GET https://x/", "Traceback", "RuntimeError: refused"):
        assert words in log.getvalue()
    assert log.getvalue().count("[hidden]") >= 5
    assert KEY_TAIL not in log.getvalue()
    assert not holds_secret(log.getvalue())


def test_a_value_of_a_function_is_not_shown_with_its_traceback() -> None:
    log = Log("console", is_watched=True)

    def call(_hidden_value: str) -> None:
        raise RuntimeError("failed")

    try:
        call("what a person typed")
    except RuntimeError:
        structlog.get_logger().exception("unforeseen failure")

    assert "Traceback" in log.getvalue()
    assert "what a person" not in log.getvalue().replace('call("what a person typed")', "")


def test_json_is_one_event_per_line_whatever_it_holds() -> None:
    log = Log("json")

    structlog.get_logger("bot.x").error("one\ntwo", text="a\nb", error=RuntimeError("c\nd"))
    try:
        raise RuntimeError("over\ntwo lines")
    except RuntimeError:
        logging.getLogger("library").exception("failed\nbadly")

    first, second = map(json.loads, log.lines())
    assert (first["event"], first["level"], first["logger"]) == ("one\ntwo", "error", "bot.x")
    assert first["timestamp"].endswith("Z")
    assert (second["level"], second["logger"]) == ("error", "library")
    assert "over\ntwo lines" in second["exception"]


def test_the_format_follows_the_terminal() -> None:
    watched, unwatched = Log(None, is_watched=True), None
    structlog.get_logger().info("hello")
    unwatched = Log(None)
    structlog.get_logger().info("hello")

    assert not watched.getvalue().startswith("{")
    assert json.loads(unwatched.getvalue())["event"] == "hello"


@pytest.mark.parametrize("name", ["slack_bolt.App", "slack_sdk.web", "aiohttp.client"])
def test_libraries_that_log_whole_requests_may_not(name: str) -> None:
    log = Log("json", "DEBUG")

    logging.getLogger(name).debug("headers and body")
    structlog.get_logger().debug("ours")

    assert [json.loads(line)["event"] for line in log.lines()] == ["ours"]


def test_a_turn_that_is_skipped_while_one_hangs_is_no_line_of_its_own() -> None:
    log = Log("json")

    logging.getLogger("apscheduler.scheduler").warning("Execution of job skipped")
    logging.getLogger("apscheduler.executors.default").error("Job raised an exception")

    assert [json.loads(line)["event"] for line in log.lines()] == ["Job raised an exception"]


def test_lines_that_an_operator_should_look_at_are_counted_those_of_libraries_too() -> None:
    Log("json", "INFO")
    counted: list[str] = []

    with lines_counted(counted.append):
        structlog.get_logger().info("all is well")
        structlog.get_logger().warning("hm")
        logging.getLogger("library").error("oh")
        logging.getLogger("library").critical("ouch")
    structlog.get_logger().error("nobody counts any more")

    assert counted == ["warning", "error", "critical"]


def test_an_error_after_which_the_bot_goes_on_is_one_line_unless_it_was_not_foreseen() -> None:
    log = Log("json")

    for error in (BotError("no answer"), TimeoutError(), ZeroDivisionError()):
        with log_and_suppress("not drawn", Exception, home="T1"):
            raise error

    lines = [json.loads(line) for line in log.lines()]
    assert {(each["event"], each["logger"], each["home"]) for each in lines} == {
        ("not drawn", __name__, "T1")
    }
    assert [(each["level"], "exception" in each) for each in lines] == [
        ("warning", False),
        ("warning", False),
        ("error", True),
    ]


def test_what_is_not_foreseen_in_a_block_goes_on_upwards() -> None:
    log = Log("json")

    for error in (asyncio.CancelledError(), TimeoutError()):
        with pytest.raises(type(error)), log_and_suppress("not drawn", BotError):
            raise error

    assert not log.lines()
