"""The pages at the end of an installation: nothing foreign in them, nothing loaded by them."""

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser

from bot.views import install_pages
from tests.builders import HOSTILE_TEXTS, KEY_TAIL
from tests.loops import loop_over

AGAIN = "https://bot.example.com/slack/install"
FAILED: list[Callable[..., str]] = [
    install_pages.refused_page,
    install_pages.unanswered_page,
    install_pages.not_kept_page,
]
PAGES = {
    "installed": install_pages.installed_page(name="Acme", app_id="A1", team_id="T1"),
    "everywhere": install_pages.installed_everywhere_page(
        name="Starship", app_id="A1", enterprise_id="E1"
    ),
    "again": install_pages.installed_page(name="Acme", app_id="A1", team_id="T1", is_again=True),
    "of an organisation": install_pages.of_organisation_page(),
    "set up wrongly": install_pages.set_up_wrongly_page(reference="cafe0001"),
    "cancelled": install_pages.cancelled_page(again=AGAIN),
    "stale": install_pages.stale_page(again=AGAIN),
    **{page.__name__: page(again=AGAIN, reference="cafe0001") for page in FAILED},
}


class Reader(HTMLParser):
    """Reads a page as a browser does: its tags, its links, and what is to be seen of it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.style = self.shown = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]
        if tag not in {"meta", "link"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.shown += data


@loop_over("page", PAGES.values(), ids=PAGES)
def test_a_page_is_whole_and_loads_and_runs_nothing(page: str) -> None:
    reader = Reader(page)

    assert reader.open == []
    assert not {"script", "img", "iframe", "form"} & set(reader.tags)
    assert not re.search(r"url\(|@import", reader.style)
    style_hash = base64.b64encode(hashlib.sha256(reader.style.encode()).digest()).decode()
    assert f"style-src 'sha256-{style_hash}'" in install_pages.POLICY
    assert 'name="viewport"' in page


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_name_is_only_ever_text(text: str) -> None:
    hostile = text + "<script>\"'</script>"
    for page in (
        install_pages.installed_page(name=hostile, app_id='A"><b>', team_id='T"><b>'),
        install_pages.installed_everywhere_page(
            name=hostile, app_id='A"><b>/..', enterprise_id='E"><b>/..'
        ),
    ):
        reader = Reader(page)
        assert reader.tags == Reader(PAGES["installed"]).tags
        assert KEY_TAIL not in page


def test_a_name_that_cannot_be_seen_is_left_out() -> None:
    page = install_pages.installed_page(name="\u200b", app_id="A1", team_id="T1")

    assert "Installed in your workspace" in Reader(page).shown


@loop_over("page", FAILED, ids=lambda page: page.__name__)
def test_a_failure_has_a_reference_and_a_way_on(page: Callable[..., str]) -> None:
    reader = Reader(page(again=AGAIN, reference="cafe0001"))

    assert "Reference cafe0001" in reader.shown
    assert AGAIN in reader.links


def test_the_links_lead_to_the_app_and_to_the_organisations_workspaces() -> None:
    assert "https://slack.com/app_redirect?app=A1&team=T1" in Reader(PAGES["installed"]).links
    where = "https://app.slack.com/manage/E1/integrations/profile/A1/workspaces/add"
    assert where in Reader(PAGES["everywhere"]).links
