//! Finds advisors that cannot be asked, before a question fails.

use crate::{
    access::{AdvisorAccess, check_url},
    advisor_key::{AdvisorKey, check_key_name},
    fault::AdviceFault,
};
use countersign_policy::{AdvisorSettings, AdvisorTarget};

/// Checks the settings of an advisor, as far as they do not depend on the server that asks. Cedar policies are checked by a
/// program with Cedar only.
pub fn check_advisor_settings(advisor: &AdvisorSettings) -> Result<(), AdviceFault> {
    match &advisor.target {
        AdvisorTarget::Command(_) => Ok(()),
        AdvisorTarget::Service { url, key, allow_private }
        | AdvisorTarget::Chat { url, key, allow_private, .. } => {
            check_url(url, *allow_private)?;
            key.as_deref().map_or(Ok(()), check_key_name)
        }
        #[cfg(feature = "cedar")]
        AdvisorTarget::Cedar { policies } => crate::cedar::CedarPolicies::default().check(policies),
        #[cfg(not(feature = "cedar"))]
        AdvisorTarget::Cedar { .. } => Ok(()),
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
            #[cfg(feature = "cedar")]
            AdvisorTarget::Cedar { policies } => self.cedar_policies().check(policies),
            #[cfg(not(feature = "cedar"))]
            AdvisorTarget::Cedar { .. } => Err(AdviceFault::not_built()),
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
    fn broken_cedar_is_found_before_a_question() {
        let broken = failure("protocol = \"cedar\"\npolicies = \"permit (principal\"");
        let expected =
            if cfg!(feature = "cedar") { [Some("bad_configuration"); 2] } else { [None, Some("not_built")] };
        assert_eq!(broken, expected);
    }
}
