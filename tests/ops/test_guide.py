"""docs/operators.md describes the file of `export` and `import` as it is."""

import re
from pathlib import Path

import yaml

from bot.ops.export_file import digest_fields
from bot.ops.import_file import read_file
from tests.digests.builders import a_digest

OPERATORS = (Path(__file__).parents[2] / "docs" / "operators.md").read_text()
GUIDE = OPERATORS.partition("#### The file, version 1\n")[2].partition("\n### ")[0]


def the_file() -> str:
    (found,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    return str(found)


def test_the_file_in_the_guide_can_be_imported() -> None:
    assert len(read_file(the_file().encode()).workspaces[0].digests) == 1


def test_every_field_of_the_file_is_in_its_table() -> None:
    (workspace,) = yaml.safe_load(the_file())["workspaces"]

    named = set(re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE))
    assert named == {"version", *workspace, *digest_fields(a_digest())}
