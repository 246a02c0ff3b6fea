"""Digests as the store keeps them: JSON, read back into the same values."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from bot.digests.digest import Digest
from bot.digests.report import Baseline

VERSION = 1


def encode_digest(digest: Digest) -> dict[str, Any]:
    """Return the JSON object of a digest, without its revision: that is the store's own."""
    value = msgspec.to_builtins(digest)
    del value["rev"]
    return {"v": VERSION, **value}


def decode_digest(value: dict[str, Any], rev: int) -> Digest:
    """Return the digest that `encode_digest` gave; raise ValueError for anything else."""
    try:
        return msgspec.convert({**value, "rev": rev}, Digest)
    except msgspec.ValidationError as error:
        raise ValueError("no digest") from error


def encode_baseline(baseline: Baseline) -> dict[str, Any]:
    """Return the JSON object of a baseline."""
    taken_at = baseline.taken_at.astimezone(UTC).isoformat()
    return {"v": VERSION, "taken_at": taken_at, "scores": dict(baseline.scores)}


def decode_baseline(value: dict[str, Any]) -> Baseline:
    """Return the baseline that `encode_baseline` gave."""
    taken_at = datetime.fromisoformat(value["taken_at"])
    return Baseline(scores=value["scores"], taken_at=taken_at)
