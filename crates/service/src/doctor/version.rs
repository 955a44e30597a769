//! Whether this program works with a server of another version: the promise of the page on compatibility.

use super::results::CheckResults;
use semver::Version;

/// The number of minor versions before and after its own with which a client works.
const REACH: u64 = 2;

/// Reports the server's version.
pub(super) fn check_version(own: &str, server: &str, results: &mut CheckResults) {
    if server == own {
        return results.ok("version", format!("{own}, the same as this command"));
    }
    let found = format!("the server has version {server}, this command has {own}");
    if work_together(own, server) {
        return results.ok("version", format!("{found}: they work together"));
    }
    let remedy = "use versions that are at most two minor versions apart";
    results.warn("version", format!("{found}, which are too far apart"), remedy);
}

/// Returns true if the promise covers both versions. It says nothing about a version that cannot be read.
fn work_together(own: &str, server: &str) -> bool {
    let (Ok(own), Ok(server)) = (Version::parse(own), Version::parse(server)) else { return false };
    own.major == server.major && own.minor.abs_diff(server.minor) <= REACH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_within_two_minor_versions_work_together() {
        for server in ["0.3.0", "0.3.9", "0.1.0", "0.5.2", "0.4.0-rc.1"] {
            assert!(work_together("0.3.1", server), "{server}");
        }
        for server in ["0.0.9", "0.6.0", "1.3.1", "3", "", "unknown"] {
            assert!(!work_together("0.3.1", server), "{server}");
        }
    }
}
