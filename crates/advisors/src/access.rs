//! Advisor permissions, which the server operator gives, and the HTTP clients that advisors share.

use crate::{command::ProgramLauncher, fault::AdviceFault, program_guard::find_own_program};
use countersign_client::{BadServiceUrl, ServiceClients, ServiceUrl};
use countersign_events::AdviceFailure;
use reqwest::Client;
use std::{sync::OnceLock, time::Duration};

/// The connect timeout.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Advisor permissions, which the server operator gives. The policy may be set from elsewhere, so it alone cannot start
/// programs on the server.
#[derive(Default)]
pub struct AdvisorAccess {
    /// How programs are started, if that is permitted.
    programs: Option<ProgramLauncher>,
    /// Created for the first question, because the system's certificate authorities take time to read.
    clients: OnceLock<Result<ServiceClients, String>>,
}

impl AdvisorAccess {
    /// Creates the permissions. `commands` permits advisors that are programs.
    #[must_use]
    pub fn new(commands: bool) -> Self {
        Self { programs: commands.then_some(ProgramLauncher::Direct), ..Self::default() }
    }

    /// Starts each program with a guard, which ends it with all its descendants. The guard is this program itself: its
    /// main function must start with [`run_program_guard`](crate::run_program_guard).
    pub fn with_program_guard(self) -> std::io::Result<Self> {
        let guard = find_own_program()?;
        Ok(Self { programs: self.programs.map(|_| ProgramLauncher::Guarded(guard)), ..self })
    }

    /// How programs are started. Fails if the server may not start any.
    pub(crate) fn program_launcher(&self) -> Result<&ProgramLauncher, AdviceFault> {
        self.programs.as_ref().ok_or_else(|| {
            AdviceFault::not_permitted(
                "the server may not start advisors that are programs; its operator permits it with --advisor-commands",
            )
        })
    }

    /// The HTTP client for addresses that may be private, or may not.
    pub(crate) fn client(&self, allow_private: bool) -> Result<&Client, AdviceFault> {
        let clients = self.clients.get_or_init(|| {
            let limits = |builder: reqwest::ClientBuilder| builder.connect_timeout(CONNECT_TIMEOUT);
            ServiceClients::new(limits).map_err(|why| why.to_string())
        });
        match clients {
            Ok(clients) => Ok(clients.for_target(allow_private)),
            Err(why) => Err(AdviceFault::new(AdviceFailure::Unreachable, why)),
        }
    }
}

/// Reads an address, and fails if it is private and may not be.
pub(crate) fn check_url(url: &str, allow_private: bool) -> Result<ServiceUrl, AdviceFault> {
    ServiceUrl::parse(url, allow_private).map_err(|why| match why {
        BadServiceUrl::NotEncrypted | BadServiceUrl::Private(_) => not_public(&why),
        BadServiceUrl::NotAnAddress | BadServiceUrl::Unresolved { .. } => {
            AdviceFault::new(AdviceFailure::BadConfiguration, format!("the url: {why}"))
        }
    })
}

/// The fault for an address that is not reachable from the internet.
pub(crate) fn not_public(why: &dyn std::fmt::Display) -> AdviceFault {
    AdviceFault::not_permitted(format!("the url: {why}; allowPrivate = true permits it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_targets_need_the_key_of_policy() {
        for url in
            ["http://advisor.example/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/"]
        {
            let fault = check_url(url, false).err().expect(url);
            assert_eq!(fault.failure, AdviceFailure::NotPermitted);
            assert!(fault.detail.contains("allowPrivate"), "{fault}");
            assert!(check_url(url, true).is_ok(), "{url}");
        }
        assert!(check_url("https://advisor.example/", false).is_ok());
        assert!(check_url("file:///etc/passwd", true).is_err());
    }

    #[test]
    fn programs_need_the_permission_of_operator() {
        let fault = AdvisorAccess::default().program_launcher().expect_err("refused");
        assert!(fault.detail.contains("--advisor-commands"), "{fault}");
        assert!(AdvisorAccess::new(true).program_launcher().is_ok());
        let guarded = AdvisorAccess::default().with_program_guard().expect("this program");
        assert!(guarded.program_launcher().is_err(), "a guard does not permit programs");
    }
}
