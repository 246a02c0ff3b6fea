"""The races that seeds have found: `make test` runs each of these tests under its seeds too."""

FOUND: dict[str, tuple[int, ...]] = {
    # Home is drawn without the domains first where their list takes a moment.
    "test_members_see_domains_admins_settings_too_and_strangers_nothing": (10, 14),
    # Two answers are shared in a channel while the first check of its people is under way.
    "test_here_in_a_channel_of_two_companies_says_once_who_reads_along": (1, 10),
    # A key is set while a digest's run has met the old one and does not wait for it yet.
    "test_a_new_key_sends_each_waiting_digest_once": (10,),
    # A digest is paused or deleted before the place of its card is known.
    "test_a_digest_that_goes_leaves_its_cards_a_last_word": (5, 14),
}
