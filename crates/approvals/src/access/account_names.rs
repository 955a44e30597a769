//! The names of people who sign in at an identity provider. A name in the log must mean one person permanently, and a quorum
//! counts names, so an account keeps the name of its first sign-in, and no other account of its provider gets that name.

use countersign_events::{ProviderAccount, fold_spelling};
use std::collections::BTreeMap;

/// Account names at identity providers. They outlive the sessions.
#[derive(Debug, Clone, Default)]
pub struct AccountNames {
    /// By issuer and subject.
    names: BTreeMap<(String, String), String>,
    /// The subject by issuer and folded name.
    subjects: BTreeMap<(String, String), String>,
}

impl AccountNames {
    /// Gives an account its name, if it has none.
    pub(super) fn bind(&mut self, account: &ProviderAccount, name: &str) {
        let ProviderAccount { issuer, subject } = account;
        self.names.entry((issuer.clone(), subject.clone())).or_insert_with(|| name.to_owned());
        self.subjects.entry((issuer.clone(), fold_spelling(name))).or_insert_with(|| subject.clone());
    }

    /// The name under which an account has signed in before.
    #[must_use]
    pub fn name_of(&self, account: &ProviderAccount) -> Option<&str> {
        self.names.get(&(account.issuer.clone(), account.subject.clone())).map(String::as_str)
    }

    /// Whether another account of the same provider has this name, in any spelling.
    #[must_use]
    pub fn is_taken(&self, account: &ProviderAccount, name: &str) -> bool {
        let owner = self.subjects.get(&(account.issuer.clone(), fold_spelling(name)));
        owner.is_some_and(|subject| *subject != account.subject)
    }
}
