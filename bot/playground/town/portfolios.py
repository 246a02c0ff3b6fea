"""The three sample portfolios: one to look at, one of everyday size, one very large."""

from bot.playground.tracker import Account

# name -> how many domains it holds
PORTFOLIOS = {"northwind": 12, "harbor": 150, "atlas": 10_000}
SEEDS = {"harbor": 2, "atlas": 3}

# Name, health, type, folder, tags. The scan of jobs… lacks a section, that of portal… is full of
# hostile text: see `tracker/samples/quirks.py`. None is a score that the service does not have.
NORTHWIND: tuple[tuple[str, int | None, str, str | None, tuple[str, ...]], ...] = (
    ("example.com", 88, "owned", "Corporate", ("prod",)),
    ("www.example.com", 91, "owned", "Corporate", ("prod",)),
    ("northwind.example", 96, "owned", "Corporate", ("prod", "critical")),
    ("shop.northwind.example", 64, "owned", "Web shops", ("prod", "critical", "eu")),
    ("checkout.northwind.example", 41, "owned", "Web shops", ("prod", "critical")),
    ("mail.northwind.example", 78, "owned", "Infrastructure", ("prod",)),
    ("status.northwind.example", 99, "monitored", "Infrastructure", ()),
    ("jobs.northwind.example", 83, "owned", "Corporate", ("marketing",)),
    ("portal.northwind.example", 47, "client", "Partners", ("legacy",)),
    ("münchen.northwind.example", 71, "owned", "Web shops", ("eu",)),
    ("northwind-outlet.example", 23, "parked", "Parked names", ("legacy",)),
    ("summer-sale.example", None, "owned", None, ("campaign-2026", "marketing")),
)


def fill(account: Account) -> None:
    """Put the sample domains of this name into an account. Raises: KeyError."""
    if account.name in SEEDS:
        account.fill(PORTFOLIOS[account.name], SEEDS[account.name])
        return
    for domain, health, domain_type, folder, tags in NORTHWIND:
        account.add(domain, health=health, domain_type=domain_type, folder=folder, tags=tags)
