"""The pages of an installation by OAuth, as people meet them who do not go straight through."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from bot.installations.oauth_flow import LINES_A_MINUTE
from tests.whole.many import Many, running_many


def link(many: Many) -> str:
    return f"{many.settings.public_url}/slack/install"


async def test_a_cancelled_installation_may_begin_again(tmp_path: Path) -> None:
    async with running_many(tmp_path, ["amber"]) as many:
        amber = many["amber"]

        cancelled = await amber.ada.install(link(many), approve=False)
        was_installed = amber.slack.is_installed
        page = await many.install("amber")

    assert cancelled.status == 200
    assert "Nothing was installed" in cancelled.text
    assert link(many) in cancelled.text
    assert not was_installed
    assert page.status == 200
    assert "Installed in amber" in page.text


async def test_the_way_back_works_once_in_the_same_browser(tmp_path: Path) -> None:
    async with running_many(tmp_path, ["amber"]) as many:
        amber = many["amber"]
        own, other = amber.ada.browser(), amber.ada.browser()
        back = await own.approve(await own.begin(link(many)))

        elsewhere = await other.open(back, from_elsewhere=True)
        first = await own.open(back, from_elsewhere=True)
        again = await own.open(back, from_elsewhere=True)
        forged = await own.open(
            f"{many.settings.public_url}/slack/oauth_redirect?code=1.2.x&state=made-up",
            from_elsewhere=True,
        )

    for page in (elsewhere, again, forged):
        assert "This page cannot be used again" in page.text
        assert 400 <= page.status < 500
    assert first.status == 200
    assert "Installed in amber" in first.text


@pytest.mark.parametrize("has_state", [True, False])
async def test_wrong_codes_of_a_stranger_hinder_nobody_and_do_not_fill_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], has_state: bool
) -> None:
    async with running_many(tmp_path, ["amber"]) as many, aiohttp.ClientSession() as stranger:
        begun = await stranger.get(link(many), allow_redirects=False)
        cookie = begun.headers["Set-Cookie"].partition(";")[0] if has_state else "none=none"
        [state] = parse_qs(urlsplit(begun.headers["Location"]).query)["state"]
        back = f"{many.settings.public_url}/slack/oauth_redirect?code=1.2.x&state={state}"
        for _ in range(30):
            answer = await stranger.get(back, headers={"Cookie": cookie})
            assert answer.status == 400
        page = await many.install("amber")

    said = capsys.readouterr().out
    assert page.status == 200
    assert "Installed in amber" in page.text
    failed = said.count("an installation failed") + said.count("came to nothing")
    assert failed == LINES_A_MINUTE
