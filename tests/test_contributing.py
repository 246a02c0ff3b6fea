"""What people who carry on are given says what CONTRIBUTING.md, the Makefile and Python's do."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
CONTRIBUTING = " ".join((ROOT / "CONTRIBUTING.md").read_text().split())


def test_the_hook_before_a_commit_is_make_check() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    (repo,) = hooks["repos"]
    (hook,) = repo["hooks"]

    assert repo["repo"] == "local"  # so that no version is pinned twice
    assert hook["entry"] == "make --no-print-directory check"


def test_the_workflow_runs_what_must_pass_on_every_python_that_is_claimed() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    job = workflow["jobs"]["test"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    image = re.search(r"^FROM python:(3\.\d+)", (ROOT / "deploy/Dockerfile").read_text(), re.M)
    assert image

    pythons = job["strategy"]["matrix"]["python"]
    assert f">={pythons[0]}" == project["requires-python"]
    assert image[1] in pythons
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert (ROOT / ".ci/run").stat().st_mode & 0o100
