"""The races that seeds have found: `make test` runs each of these tests under its seeds too."""

FOUND: dict[str, tuple[int, ...]] = {
    # Home is drawn without the domains first where their list takes a moment.
    "test_members_see_domains_admins_settings_too_and_strangers_nothing": (10, 14),
}
