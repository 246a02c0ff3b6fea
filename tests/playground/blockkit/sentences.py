"""Slack's general sentences, as (code, message) of a `Problem`."""

Refusal = tuple[str, str]

EMPTY: Refusal = ("too_short", "must be more than 0 characters")
NO_CHOICE: Refusal = ("bad_value", "must be a valid enum value")


def missing(name: str) -> Refusal:
    return "missing_field", f"missing required field: {name}"


def unknown(name: str) -> Refusal:
    return "unknown_field", f"invalid additional property: {name}"


def unsupported(kind: str) -> Refusal:
    return "unknown_type", f"unsupported type: {kind}"


def needs(listed: str) -> Refusal:
    return "missing_field", f"must define either {listed}"


def not_a(kind: str) -> Refusal:
    return "wrong_type", f"must provide {kind}"


def too_few(least: int) -> Refusal:
    return "too_few", f"must provide at least {least} items"


def too_small(bound: int) -> Refusal:
    return "too_small", f"must be greater than {bound}"


def too_large(bound: int) -> Refusal:
    return "too_large", f"must be less than {bound}"


def conflict(sentence: str) -> Refusal:
    return "conflict", sentence


def malformed(sentence: str) -> Refusal:
    return "bad_format", sentence
