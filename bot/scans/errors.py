"""Word the errors about scans. Pure."""

from bot.dispatch.failure import Sentences, plain, retry
from bot.scans.bulk_record import BulkScanOverError, BulkScanRunsError
from bot.scans.bulk_views import running_message
from bot.scans.service import NoDomainIdError, NoScanError

SCAN_ERRORS: Sentences = {
    NoDomainIdError: plain(
        "Domain Tracker lists this domain without an ID, so it can't be scanned."
    ),
    NoScanError: retry("That scan is no longer kept. Scan the domain again."),
    BulkScanRunsError: lambda error, facts: running_message(
        error.run, facts.user_id, may_configure=facts.is_admin
    ),
    BulkScanOverError: plain(
        "This bulk scan is over. Type `/scan` with the filter to scan again."
    ),
}
