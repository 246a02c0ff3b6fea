"""Custom steps of workflows: https://docs.slack.dev/tools/bolt-python/concepts/custom-steps."""

from typing import Any

import pytest

from bot.playground.slack import FormError, LocalSlack
from tests.playground.slack.conftest import Api
from tests.playground.slack.installer import Installer

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("bot")]
Json = dict[str, Any]

SCAN = {
    "title": "Scan a domain",
    "description": "A full scan",
    "input_parameters": {
        "domain": {"type": "string", "title": "Domain", "is_required": True},
        "person": {"type": "slack#/types/user_id", "title": "Person"},
    },
    "output_parameters": {
        "score": {"type": "integer", "title": "Health", "is_required": True},
        "text": {"type": "string", "title": "Text"},
    },
}


@pytest.fixture
def about() -> Json:
    return {"functions": {"scan": SCAN}, "events": ["function_executed"]}


def ending(run_id: str, **how: Any) -> Json:
    return {"function_execution_id": run_id, **how}


async def test_the_event_describes_the_step_and_its_run(slack: LocalSlack) -> None:
    run = slack.start_step("scan", {"domain": "a.example"})
    await slack.lines.settled()

    [event] = [each.payload["event"] for each in slack.envelopes]
    assert (event["type"], event["function_execution_id"]) == ("function_executed", run.id)
    assert event["inputs"] == {"domain": "a.example"}
    assert event["function"]["callback_id"] == "scan"
    assert event["function"]["input_parameters"][0] == {
        "name": "domain", "type": "string", "title": "Domain", "is_required": True,
    }  # fmt: skip
    assert slack.envelopes[0].payload["team_id"] == slack.team_id


@pytest.mark.parametrize(
    "inputs", [{}, {"domain": None}, {"domain": 5}, {"domain": "x", "folder": "y"}]
)
async def test_a_step_takes_the_inputs_that_it_declares(slack: LocalSlack, inputs: Json) -> None:
    with pytest.raises(FormError):
        slack.start_step("scan", inputs)
    with pytest.raises(LookupError):
        slack.start_step("health", inputs)


@pytest.mark.parametrize(
    "outputs", [{}, {"score": "41"}, {"score": True}, {"score": 41, "band": "poor"}]
)
async def test_outputs_are_those_that_it_declares(
    slack: LocalSlack, api: Api, outputs: Json
) -> None:
    run = slack.start_step("scan", {"domain": "a.example"})

    answer = await api("functions.completeSuccess", **ending(run.id, outputs=outputs))

    assert answer["error"] == "parameter_validation_failed"
    assert run.is_running


async def test_a_run_ends_once_and_its_token_with_it(slack: LocalSlack, api: Api) -> None:
    run = slack.start_step("scan", {"domain": "a.example"})
    token = run.token.value
    before = await api("auth.test", token=token)
    await api("functions.completeError", **ending(run.id, error="Nothing answers."), token=token)

    again = await api("functions.completeSuccess", **ending(run.id, outputs={"score": 41}))

    assert (before["ok"], run.error) == (True, "Nothing answers.")
    assert again["error"] == "execution_not_in_running_state"
    assert (await api("auth.test", token=token))["error"] == "token_revoked"
    assert (await api("auth.test"))["ok"]


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("completeSuccess", {"outputs": {"score": 1}}, "function_execution_not_found"),
        ("completeError", {"error": "x"}, "function_execution_not_found"),
        ("completeError", {}, "invalid_arguments"),
        ("completeSuccess", {"outputs": "["}, "invalid_arguments"),
    ],
)
async def test_only_a_run_can_be_ended(
    slack: LocalSlack, api: Api, method: str, arguments: Json, error: str
) -> None:
    answer = await api(f"functions.{method}", **ending("Fx0", **arguments))

    assert answer["error"] == error


async def test_a_token_of_another_workspace_ends_nothing(
    slack: LocalSlack, api: Api, installer: Installer
) -> None:
    run = slack.start_step("scan", {"domain": "a.example"})
    other = slack.add_workspace("elsewhere")
    await other.person("ada").install(installer.start_url)

    answer = await api(
        "functions.completeError", **ending(run.id, error="x"), token=other.bot_token
    )

    assert (answer["error"], run.is_running) == ("access_denied", True)


async def test_a_removed_app_has_no_steps(slack: LocalSlack, api: Api) -> None:
    run = slack.start_step("scan", {"domain": "a.example"})
    await slack.uninstall()

    assert (await api("auth.test", token=run.token.value))["error"] == "account_inactive"
    with pytest.raises(LookupError):
        slack.start_step("scan", {"domain": "a.example"})
