//! A policy's managed layer: rules that people accepted one by one, instead of writing them in a file. The log holds it
//! with the other layers; no file of `policy.d` may have its name.

use crate::{BadPolicy, MANAGED_LAYER, Policy, PolicyText};
use countersign_events::PolicyLayer;
use toml_edit::{ArrayOfTables, DocumentMut, Item, value};

/// The maximum length of one rule, in bytes.
pub const MAX_MANAGED_RULE_BYTES: usize = 16 * 1024;

/// The maximum number of rules in the managed layer. With more, people no longer read them.
pub const MAX_MANAGED_RULES: usize = 200;

/// The reason why a rule cannot be added to the managed layer, or removed from it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManagedRuleError {
    /// The input is not a rule that the managed layer may have.
    #[error("{0}")]
    Unsuitable(String),
    /// No rule of the managed layer has the name.
    #[error("the managed layer has no rule {0:?}")]
    Unknown(String),
    /// The managed layer is full.
    #[error("the managed layer has {MAX_MANAGED_RULES} rules, the most; move some into a file of the policy")]
    Full,
    /// The policy with the rule is invalid.
    #[error("the policy is invalid with this rule: {0}")]
    Invalid(BadPolicy),
}

impl PolicyText {
    /// The managed layer, if the policy has one.
    #[must_use]
    pub fn managed_layer(&self) -> Option<&PolicyLayer> {
        self.layers.iter().find(|layer| layer.name == MANAGED_LAYER)
    }

    /// The policy as its files have it, without the managed layer.
    #[must_use]
    pub fn without_managed_layer(mut self) -> Self {
        self.layers.retain(|layer| layer.name != MANAGED_LAYER);
        self
    }

    /// These files with the managed layer of `in_force`, so that files that replace a policy do not discard the rules that
    /// people accepted.
    #[must_use]
    pub fn with_managed_layer_of(self, in_force: &Self) -> Self {
        match in_force.managed_layer() {
            Some(layer) => self.with_managed_text(layer.text.clone()),
            None => self,
        }
    }

    /// Adds one rule in TOML, as `policy suggest` writes it, and returns its name in the layer. A name that is taken
    /// gets a number. Fails if the input is anything other than one rule that allows, or if the policy would be
    /// invalid.
    pub fn add_managed_rule(&self, rule: &str) -> Result<(Policy, String), ManagedRuleError> {
        let (mut document, mut rules) = self.read_managed()?;
        if rules.len() >= MAX_MANAGED_RULES {
            return Err(ManagedRuleError::Full);
        }
        let mut added = read_one_rule(rule)?;
        let name = unique_name(added.get("name").and_then(Item::as_str).unwrap_or_default(), &rules);
        added.insert("name", value(&name));
        rules.push(added);
        document.insert("rule", Item::ArrayOfTables(rules));
        let text = self.clone().with_managed_text(document.to_string());
        let policy = Policy::read_text(text).map_err(ManagedRuleError::Invalid)?;
        Ok((policy, name))
    }

    /// Removes the rule with this name, and the layer with its last rule.
    pub fn remove_managed_rule(&self, name: &str) -> Result<Policy, ManagedRuleError> {
        let (mut document, mut rules) = self.read_managed()?;
        let before = rules.len();
        rules.retain(|rule| rule.get("name").and_then(Item::as_str) != Some(name));
        if rules.len() == before {
            return Err(ManagedRuleError::Unknown(name.to_owned()));
        }
        let text = if rules.is_empty() {
            self.clone().without_managed_layer()
        } else {
            document.insert("rule", Item::ArrayOfTables(rules));
            self.clone().with_managed_text(document.to_string())
        };
        Policy::read_text(text).map_err(ManagedRuleError::Invalid)
    }

    fn with_managed_text(self, text: String) -> Self {
        let mut policy = self.without_managed_layer();
        policy.layers.push(PolicyLayer { name: MANAGED_LAYER.to_owned(), text });
        policy.layers.sort_by(|a, b| a.name.cmp(&b.name));
        policy
    }

    fn read_managed(&self) -> Result<(DocumentMut, ArrayOfTables), ManagedRuleError> {
        let text = self.managed_layer().map_or("", |layer| layer.text.as_str());
        let document: DocumentMut = text.parse().map_err(|error| unsuitable(&error))?;
        let rules = document.get("rule").and_then(Item::as_array_of_tables).cloned().unwrap_or_default();
        Ok((document, rules))
    }
}

/// Reads TOML that is one rule and nothing else. The policy with the rule is checked afterwards.
fn read_one_rule(text: &str) -> Result<toml_edit::Table, ManagedRuleError> {
    if text.len() > MAX_MANAGED_RULE_BYTES {
        return Err(unsuitable(&format!(
            "it has {} bytes; the limit is {MAX_MANAGED_RULE_BYTES}",
            text.len()
        )));
    }
    let document: DocumentMut = text.parse().map_err(|error| unsuitable(&error))?;
    let rules = document.get("rule").and_then(Item::as_array_of_tables).filter(|_| document.len() == 1);
    match rules.map(|rules| (rules.len(), rules.get(0))) {
        Some((1, Some(rule))) => Ok(rule.clone()),
        _ => Err(unsuitable(&"it must be one [[rule]] and nothing else")),
    }
}

fn unsuitable(why: &dyn std::fmt::Display) -> ManagedRuleError {
    ManagedRuleError::Unsuitable(why.to_string())
}

fn unique_name(name: &str, rules: &ArrayOfTables) -> String {
    let is_taken =
        |name: &str| rules.iter().any(|rule| rule.get("name").and_then(Item::as_str) == Some(name));
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}
