//! Finds advisors that cannot be asked, before a question fails.

use crate::{AdviceFault, AdvisorAccess, AdvisorKey, access::check_url, advisor_key::check_key_name};
use countersign_events::AdvisorProtocol;
use countersign_policy::{AdvisorSettings, AdvisorTarget};

/// Checks the advisor settings that do not depend on the asking server.
pub fn check_advisor_settings(advisor: &AdvisorSettings) -> Result<(), AdviceFault> {
    match &advisor.target {
        _ if matches!(advisor.protocol, AdvisorProtocol::Opa | AdvisorProtocol::Cedar) => {
            Err(AdviceFault::retired(advisor.protocol))
        }
        AdvisorTarget::Command(_) | AdvisorTarget::Cedar { .. } | AdvisorTarget::Facts => Ok(()),
        AdvisorTarget::Service { url, key, allow_private }
        | AdvisorTarget::Chat { url, key, allow_private, .. } => {
            check_url(url, *allow_private)?;
            key.as_deref().map_or(Ok(()), check_key_name)
        }
    }
}

impl AdvisorAccess {
    /// Checks whether this server can ask an advisor: its settings, its permissions and its keys.
    pub(crate) fn check_advisor(&self, advisor: &AdvisorSettings) -> Result<(), AdviceFault> {
        match &advisor.target {
            AdvisorTarget::Command(_) => self.program_launcher().map(|_| ()),
            AdvisorTarget::Service { key, .. } | AdvisorTarget::Chat { key, .. } => {
                check_advisor_settings(advisor)?;
                key.as_deref().map_or(Ok(()), |name| AdvisorKey::find(name).map(|_| ()))
            }
            AdvisorTarget::Cedar { .. } | AdvisorTarget::Facts => check_advisor_settings(advisor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_policy::Policy;

    fn failure(keys: &str) -> [Option<&'static str>; 2] {
        let policy = Policy::read(&format!("[[advisor]]\nname = \"a\"\n{keys}\n")).expect("a policy");
        let advisor = policy.advisor("a").expect("an advisor");
        let server = AdvisorAccess::default().check_advisor(advisor);
        [check_advisor_settings(advisor), server]
            .map(|checked| checked.err().map(|fault| fault.failure.as_str()))
    }

    #[test]
    fn unusable_settings_are_found_before_a_question() {
        assert_eq!(failure("url = \"https://judge.example/\""), [None, None]);
        assert_eq!(failure("url = \"http://judge.example/\""), [Some("not_permitted"); 2]);
        assert_eq!(failure("url = \"https://judge.example:x/\""), [Some("bad_configuration"); 2]);
        let key = "url = \"https://judge.example/\"\nkey = \"absent-in-tests\"";
        assert_eq!(failure(key), [None, Some("not_permitted")]);
        let file = "url = \"https://judge.example/\"\nkey = \"x_file\"";
        assert_eq!(failure(file), [Some("bad_configuration"); 2]);
        assert_eq!(failure("command = [\"/bin/true\"]"), [None, Some("not_permitted")]);
    }

    #[test]
    fn retired_protocols_are_found_before_a_question() {
        for keys in [
            "protocol = \"cedar\"\npolicies = \"permit (principal, action, resource);\"",
            "protocol = \"opa\"\nurl = \"https://judge.example/\"",
        ] {
            assert_eq!(failure(keys), [Some("bad_configuration"); 2], "{keys}");
        }
    }
}
