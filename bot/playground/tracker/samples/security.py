"""Security: what was found, from the same facts as the other sections, the worst first."""

from typing import Any

from bot.playground.tracker.samples.dns import has_caa
from bot.playground.tracker.samples.facts import Facts
from bot.playground.tracker.samples.mail import dmarc_policy, dmarc_record, spf_record
from bot.playground.tracker.samples.tls import certificate_ends, speaks_old_tls
from bot.playground.tracker.samples.whois import registration

SEVERITIES = ("critical", "high", "medium", "low")
HEADERS = {
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "Content-Security-Policy": "default-src 'self'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": "camera=(), microphone=()",
}
BLACKLISTS_CHECKED = 64

Issue = dict[str, object]


def security_section(facts: Facts) -> dict[str, Any]:
    """Return response headers, mail policies, blacklists and the list of issues."""
    headers = {name: None if _lacks(facts, name) else value for name, value in HEADERS.items()}
    policy = dmarc_policy(facts)
    return {
        "grade": _grade(facts.score),
        "headers": headers,
        "spf": {"present": spf_record(facts) is not None, "record": spf_record(facts)},
        "dmarc": {"present": policy is not None, "policy": policy, "record": dmarc_record(facts)},
        "blacklists": {"checked": BLACKLISTS_CHECKED, "listedOn": _listed_on(facts)},
        "openPorts": [80, 443, *([21] if facts.fails("ftp", rarity=2) else [])],
        "issues": sorted(
            _issues(facts), key=lambda issue: SEVERITIES.index(str(issue["severity"]))
        ),
    }


def _lacks(facts: Facts, header: str) -> bool:
    return facts.fails(f"header {header}", rarity=0.9)


def _listed_on(facts: Facts) -> list[str]:
    return ["bl.mailwatch.example"] if facts.fails("blacklist", rarity=2.5) else []


def _issue(severity: str, title: str, recommendation: str) -> Issue:
    return {"severity": severity, "title": title, "recommendation": recommendation}


def _issues(facts: Facts) -> list[Issue]:
    return [
        *_expiry_issues(facts),
        *_mail_issues(facts),
        *_server_issues(facts),
        *(
            _issue("low", f"Header {name} is missing", f"Send {name}: {value}")
            for name, value in HEADERS.items()
            if _lacks(facts, name)
        ),
    ]


def _expiry_issues(facts: Facts) -> list[Issue]:
    certificate_days = (certificate_ends(facts) - facts.today).days
    _created, _updated, ends = registration(facts)
    issues: list[Issue] = []
    if certificate_days < 0:
        issues.append(_issue("critical", "The certificate has expired", "Renew it now"))
    elif certificate_days <= 14:
        title = f"The certificate expires in {certificate_days} days"
        issues.append(_issue("high", title, "Check the automatic renewal"))
    if (days := (ends - facts.today).days) <= 30:
        title = f"The registration ends in {days} days"
        issues.append(_issue("high", title, "Renew the domain at its registrar"))
    return issues


def _mail_issues(facts: Facts) -> list[Issue]:
    issues: list[Issue] = []
    if _listed_on(facts):
        issues.append(
            _issue("critical", "Listed on a mail blacklist", "Ask bl.mailwatch.example to delist")
        )
    if spf_record(facts) is None:
        issues.append(_issue("medium", "No SPF record", "Publish which servers send your mail"))
    if (policy := dmarc_policy(facts)) is None:
        issues.append(
            _issue("medium", "No DMARC record", "Start with p=none and a report address")
        )
    elif policy == "none":
        issues.append(_issue("low", "DMARC only watches (p=none)", "Move to p=quarantine"))
    return issues


def _server_issues(facts: Facts) -> list[Issue]:
    issues: list[Issue] = []
    if speaks_old_tls(facts):
        issues.append(_issue("medium", "TLS 1.0 and 1.1 are accepted", "Accept TLS 1.2 and later"))
    if facts.fails("ftp", rarity=2):
        issues.append(_issue("medium", "FTP is open on port 21", "Close it or use SFTP"))
    if not has_caa(facts):
        issues.append(_issue("low", "No CAA record", "Name the authorities that may issue"))
    return issues


def _grade(score: float) -> str:
    for letter, least in (("A", 90), ("B", 75), ("C", 60), ("D", 45)):
        if score >= least:
            return letter
    return "F"
