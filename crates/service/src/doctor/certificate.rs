//! Checks of TLS certificates.

use crate::{
    doctor::results::CheckResults,
    serve::{
        certificate_file::EXPIRES_SOON,
        network::{certificate_paths, read_certificate},
    },
};
use countersign_api::ReadinessReport;
use countersign_console::CommandContext;
use countersign_events::Timestamp;

const RENEW: &str = "renew the certificate; the server reads its files again when they change";

/// Checks the certificate that the settings name for `serve` on this machine.
pub(super) fn check_own_certificate(context: &CommandContext, results: &mut CheckResults) {
    let paths = match certificate_paths(&context.settings) {
        Ok(Some(paths)) => paths,
        Ok(None) => return,
        Err(error) => return results.fail("certificate", format!("{error:#}"), "set both, or neither"),
    };
    match read_certificate(&paths.0, &paths.1) {
        Ok(certificate) => {
            check_expiry(
                &paths.0.display().to_string(),
                certificate.report().expires_at,
                context.now(),
                results,
            );
        }
        Err(error) => results.fail("certificate", format!("{error:#}"), "correct the files"),
    }
}

/// Checks the certificate that a server reports.
pub(super) fn check_reported_certificate(
    ready: &ReadinessReport,
    now: Timestamp,
    results: &mut CheckResults,
) {
    match (&ready.certificate_trouble, ready.certificate_expires_at) {
        (Some(trouble), _) => results.fail("certificate", trouble.clone(), RENEW),
        (None, expires_at @ Some(_)) => check_expiry("that of the server", expires_at, now, results),
        (None, None) => {}
    }
}

fn check_expiry(what: &str, expires_at: Option<Timestamp>, now: Timestamp, results: &mut CheckResults) {
    match expires_at {
        Some(end) if end < now => results.fail("certificate", format!("{what}, expired at {end}"), RENEW),
        Some(end) if end < now.after(EXPIRES_SOON) => {
            results.warn("certificate", format!("{what}, expires at {end}"), RENEW);
        }
        Some(end) => results.ok("certificate", format!("{what}, valid until {end}")),
        None => results.warn("certificate", format!("{what}, whose end cannot be read"), RENEW),
    }
}
