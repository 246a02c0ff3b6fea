"""The pages of an installation by OAuth, as people meet them who do not go straight through."""

from pathlib import Path

from tests.whole.many import Many, running_many


def link(many: Many) -> str:
    return f"{many.settings.public_url}/slack/install"


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
