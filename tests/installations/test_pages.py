"""The pages at the end of an installation: nothing foreign in them, nothing loaded by them."""

import base64
import hashlib
import html
import re

from bot.installations import pages as install_pages
from bot.installations.installation import organisation
from bot.process.workspace import WorkspaceId
from tests.builders import HOSTILE_TEXTS, KEY_TAIL
from tests.installations.builders import an_installation
from tests.loops import loop_over

AGAIN = "https://bot.example.com/slack/install"
PAGES = {
    "installed": install_pages.installed_page(an_installation()),
    "everywhere": install_pages.installed_page(
        an_installation(organisation("E1"), name="Starship")
    ),
    "of an organisation": install_pages.of_organisation_page(),
    "cancelled": install_pages.cancelled_page(again=AGAIN),
    "stale": install_pages.stale_page(again=AGAIN),
    "failed": install_pages.failed_page(again=AGAIN, reference="cafe0001"),
}


def tags_of(page: str) -> list[str]:
    return re.findall(r"<(\w+)", page)


def links_of(page: str) -> list[str]:
    return [html.unescape(link) for link in re.findall(r'(?:href|src)="([^"]*)"', page)]


@loop_over("page", PAGES.values(), ids=PAGES)
def test_a_page_is_whole_and_loads_and_runs_nothing(page: str) -> None:
    style = page.partition("<style>")[2].partition("</style>")[0]

    assert not {"script", "img", "iframe", "form"} & set(tags_of(page))
    assert not re.search(r"url\(|@import", style)
    style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{style_hash}'" in install_pages.POLICY
    assert 'name="viewport"' in page


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_name_is_only_ever_text(text: str) -> None:
    hostile = text + "<script>\"'</script>"
    for page in (
        install_pages.installed_page(
            an_installation(WorkspaceId('T"><b>'), name=hostile, app_id='A"><b>')
        ),
        install_pages.installed_page(
            an_installation(organisation('E"><b>/..'), name=hostile, app_id='A"><b>/..')
        ),
    ):
        assert tags_of(page) == tags_of(PAGES["installed"])
        assert KEY_TAIL not in page


def test_pages_lead_on_and_name_what_they_are_about() -> None:
    unseen = install_pages.installed_page(an_installation(name="\u200b"))

    assert "<h1>Installed in your workspace</h1>" in unseen
    assert "<code>cafe0001</code>" in PAGES["failed"]
    assert AGAIN in links_of(PAGES["failed"])
    assert "https://slack.com/app_redirect?app=A1&team=T1" in links_of(PAGES["installed"])
    where = "https://app.slack.com/manage/E1/integrations/profile/A1/workspaces/add"
    assert where in links_of(PAGES["everywhere"])
