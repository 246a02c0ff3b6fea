from pathlib import Path

import yaml

from bot.operating.scopes import NEEDED_SCOPES, OPTIONAL_SCOPES

SCOPES = yaml.safe_load((Path(__file__).parents[2] / "manifest.yml").read_text())["oauth_config"][
    "scopes"
]


def test_the_manifest_asks_for_what_the_bot_needs_and_for_nothing_else() -> None:
    assert {*NEEDED_SCOPES, *OPTIONAL_SCOPES} == set(SCOPES["bot"])
    assert set(OPTIONAL_SCOPES) == set(SCOPES["bot_optional"])


def test_every_permission_has_its_reason() -> None:
    assert all(len(why) > 10 for why in (NEEDED_SCOPES | OPTIONAL_SCOPES).values())
