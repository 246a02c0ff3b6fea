"""Who may send mail in a domain's name: SPF and DMARC, as DNS and security both show it."""

from bot.playground.tracker.samples.facts import Facts

PROVIDERS = ("postline", "mailhaven", "rapidpost")


def receives_mail(facts: Facts) -> bool:
    """Say whether the domain has a mail server."""
    return facts.stream("mail").random() < 0.8


def mail_provider(facts: Facts) -> str:
    """Return the label of the domain's mail provider."""
    return facts.stream("mail provider").choice(PROVIDERS)


def spf_record(facts: Facts) -> str | None:
    """Return the SPF policy, or None when the domain publishes none."""
    if facts.fails("spf", rarity=1.5):
        return None
    if not receives_mail(facts):
        return "v=spf1 -all"
    ending = "~all" if facts.fails("spf all") else "-all"
    return f"v=spf1 include:_spf.{mail_provider(facts)}.example {ending}"


def dmarc_policy(facts: Facts) -> str | None:
    """Return "none", "quarantine" or "reject", or None when the domain publishes none."""
    if facts.fails("dmarc", rarity=1.2):
        return None
    if facts.fails("dmarc policy", rarity=0.7):
        return "none"
    return facts.stream("dmarc kind").choice(("quarantine", "reject"))


def dmarc_record(facts: Facts) -> str | None:
    """Return the DMARC record, or None when the domain publishes none."""
    policy = dmarc_policy(facts)
    return policy and f"v=DMARC1; p={policy}; rua=mailto:dmarc@{facts.domain}"
