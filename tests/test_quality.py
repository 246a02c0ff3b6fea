"""`docs/quality.yml` names every rule of the scale once, and only tests that exist."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
# https://developers.home-assistant.io/docs/core/integration-quality-scale/rules
RULES = {
    "bronze": """
        action-setup appropriate-polling brands common-modules config-flow
        config-flow-test-coverage dependency-transparency docs-actions
        docs-high-level-description docs-installation-instructions docs-removal-instructions
        entity-event-setup entity-unique-id has-entity-name runtime-data test-before-configure
        test-before-setup unique-config-entry
    """,
    "silver": """
        action-exceptions config-entry-unloading docs-configuration-parameters
        docs-installation-parameters entity-unavailable integration-owner log-when-unavailable
        parallel-updates reauthentication-flow test-coverage
    """,
    "gold": """
        devices diagnostics discovery discovery-update-info docs-data-update docs-examples
        docs-known-limitations docs-supported-devices docs-supported-functions
        docs-troubleshooting docs-use-cases dynamic-devices entity-category entity-device-class
        entity-disabled-by-default entity-translations exception-translations icon-translations
        reconfiguration-flow repair-issues stale-devices
    """,
    "platinum": "async-dependency inject-websession strict-typing",
}


def test_each_rule_is_held_by_a_test_or_exempt_with_a_reason() -> None:
    found = yaml.safe_load((ROOT / "docs/quality.yml").read_text())

    assert {tier: set(rules) for tier, rules in found.items()} == {
        tier: set(names.split()) for tier, names in RULES.items()
    }
    rules = {name: rule for tier in found.values() for name, rule in tier.items()}
    assert len(rules) == 52
    assert {name for name, rule in rules.items() if not is_kept(rule)} == set()
    assert not is_kept({"done": "tests/test_quality.py::test_it_not"})
    assert not is_kept({"exempt": ""})
    assert not is_kept({"todo": "some day"})


def is_kept(rule: dict[str, str]) -> bool:
    """Return whether a rule names a test that exists, or a reason, and nothing else."""
    ((status, what),) = rule.items()
    if status != "done":
        return status == "exempt" and bool(what)
    path, _, test = what.partition("::")
    return f"def {test}(" in (ROOT / path).read_text()
