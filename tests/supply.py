"""The packages that the bot is installed with: their licences, and a bill of materials.

`python -m tests.supply` looks up known vulnerabilities of all pinned packages.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

from bot import DISTRIBUTION, __version__

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"^([\w.-]+)==([^\s;]+)", re.MULTILINE)
# What a MIT project may depend on. LGPL and MPL hold for the package itself: it is used as it
# comes, and anyone can put another version in its place.
FIT_FOR_MIT = {
    *("MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "PSF-2.0"),
    *("MPL-2.0", "LGPL-3.0-only"),
}
# How older packages write them.
_SPDX = {
    "Apache 2.0": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
}
# advisory -> why it is no danger here, and the test that shows it
EXEMPT = {
    # sqlitedict reads values with pickle. The bot lets it keep text.
    "CVE-2024-35515": (
        "tests/store/test_sqlite.py::test_a_planted_pickle_is_an_error_and_runs_nothing"
    ),
}


@dataclass(frozen=True)
class Package:
    """A pinned package; `licence` is an SPDX expression."""

    name: str
    version: str
    licence: str

    @property
    def address(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def packages(lock: Path = ROOT / "requirements.txt") -> list[Package]:
    """Return the pinned packages; each has to be installed here."""
    return [
        Package(name, version, licence_of(name))
        for name, version in PINNED.findall(lock.read_text())
    ]


def licence_of(name: str) -> str:
    """Return the SPDX expression of an installed package."""
    about = metadata(name)
    said: list[str] = [
        each
        for field in ("License-Expression", "License", "Classifier")
        for each in about.get_all(field) or []
        if field != "Classifier" or each.startswith("License ::")
    ]
    return _SPDX.get(said[0], said[0])


def is_fit(licence: str) -> bool:
    """Return whether one alternative of an SPDX expression is fit in all its parts."""
    alternatives = licence.strip("()").split(" OR ")
    return any(set(each.split(" AND ")) <= FIT_FOR_MIT for each in alternatives)


def bill_of_materials() -> dict[str, Any]:
    """Return what a wheel is installed with: https://cyclonedx.org/docs/1.6/json/."""
    bot = {"type": "application", "name": DISTRIBUTION, "version": __version__}
    own = f"pkg:pypi/{DISTRIBUTION}@{__version__}"
    parts = packages()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                **bot,
                "bom-ref": own,
                "purl": own,
                "licenses": [{"expression": "MIT"}],
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": each.address,
                "name": each.name,
                "version": each.version,
                "purl": each.address,
                "licenses": [{"expression": each.licence}],
            }
            for each in parts
        ],
        "dependencies": [{"ref": own, "dependsOn": [each.address for each in parts]}],
    }


def audit() -> int:
    """Let pip-audit look up every lock file, in an environment of its own; return its status."""
    words = [sys.executable, "-m", "uv", "tool", "run", "pip-audit", "--disable-pip", "--no-deps"]
    exempt = [word for name in EXEMPT for word in ("--ignore-vuln", name)]
    found = 0
    for lock in sorted(ROOT.glob("requirements*.txt")):
        found |= subprocess.run([*words, *exempt, "-r", str(lock)], check=False).returncode
    return found


if __name__ == "__main__":
    sys.exit(audit())
