//! Claim leases: how long an executor holds a call without renewing its claim.

use super::DecisionContext;
use crate::Refused;
use countersign_events::Timestamp;
use std::time::Duration;

/// The default claim lease. Without an end, a call whose executor was lost would stay `running` forever.
pub const DEFAULT_LEASE: Duration = Duration::from_mins(15);

/// The maximum lease. An executor that runs longer renews its lease, so that a lost one is noticed within a day.
pub const LONGEST_LEASE: Duration = Duration::from_hours(24);

/// When a lease that starts now ends.
pub(super) fn lease_end(
    lease: Option<Duration>,
    context: &DecisionContext<'_>,
) -> Result<Timestamp, Refused> {
    let lease = lease.unwrap_or(DEFAULT_LEASE);
    if lease > LONGEST_LEASE {
        let longest = LONGEST_LEASE.as_secs();
        let why = format!("must be at most {longest}, which is a day; renew the lease while the call runs");
        return Err(Refused::Invalid { field: "leaseSeconds", why });
    }
    Ok(context.now.after(lease))
}
