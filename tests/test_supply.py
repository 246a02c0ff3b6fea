"""The packages that the bot is installed with may be used, and cannot be turned against it."""

import json
import tomllib

import pytest

from bot import DISTRIBUTION, __version__
from tests.loops import loop_over
from tests.release import notes
from tests.supply import EXEMPT, ROOT, bill_of_materials, is_fit, packages


def test_every_licence_is_fit_for_a_project_under_mit() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert project["license"] == "MIT"
    assert len(packages()) > 40
    assert {each.name: each.licence for each in packages() if not is_fit(each.licence)} == {}


@loop_over(
    ("licence", "fits"),
    [
        ("MIT", True),
        ("Apache-2.0 AND MIT", True),
        ("GPL-3.0-only OR BSD-3-Clause", True),
        ("GPL-3.0-only", False),
        ("MIT AND AGPL-3.0-only", False),
        ("UNKNOWN", False),
    ],
)
def test_a_licence_that_does_not_fit_is_found(licence: str, fits: bool) -> None:
    assert is_fit(licence) == fits


def test_the_bill_of_materials_names_each_package_that_is_pinned_once() -> None:
    bill = json.loads(json.dumps(bill_of_materials()))

    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/{DISTRIBUTION}@{__version__}"
    refs = [each["bom-ref"] for each in bill["components"]]
    assert refs == bill["dependencies"][0]["dependsOn"]
    assert len(set(refs)) == len(refs) == len(packages())


def test_what_is_exempt_names_a_test_that_exists() -> None:
    for test in EXEMPT.values():
        path, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / path).read_text()


def test_the_changelog_begins_with_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()

    assert notes(changelog, __version__)
    with pytest.raises(LookupError):
        notes(changelog, "0.9.0")
    with pytest.raises(LookupError):
        notes(changelog.replace("## ", "## Unreleased\n\n## ", 1), __version__)
