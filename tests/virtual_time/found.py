"""The races that seeds have found: `make test` runs each of these tests under its seeds too."""

FOUND: dict[str, tuple[int, ...]] = {}
