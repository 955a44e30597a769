//! A person's rights, from the provider's claims. It is a pure function of the claims and the settings.

use countersign_events::Role;
use serde_json::{Map, Value};
use std::str::FromStr;

/// The most groups that claims give a person.
const MAX_GROUPS: usize = 64;

/// A mapping rule `RESULT=CLAIM:VALUE`, such as `approver=groups:security`: a person whose claim has this value, alone
/// or in a list, gets the result. The value `*` stands for any value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRule {
    result: String,
    claim: String,
    value: String,
}

/// The text is not a [`ClaimRule`], or its result is not possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRule(String);

/// How claims become a person's name and rights.
#[derive(Debug, Clone)]
pub struct ClaimMapping {
    /// The claim that names the person.
    name_claim: String,
    /// The first rule that holds gives the role.
    roles: Vec<(Role, ClaimRule)>,
    /// The first rule that holds gives the level.
    levels: Vec<ClaimRule>,
    /// Every rule that holds gives a group.
    groups: Vec<ClaimRule>,
    /// The domains of accepted e-mail addresses, in lower case; empty for any address, also none.
    email_domains: Vec<String>,
}

/// The person that the claims describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderPerson {
    /// The name, without a kind.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The approver level.
    pub level: Option<String>,
    /// The approver groups.
    pub groups: Vec<String>,
}

impl FromStr for ClaimRule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        let parts = text.split_once('=').and_then(|(result, rest)| {
            let (claim, value) = rest.split_once(':')?;
            Some([result, claim, value].map(|part| part.trim().to_owned()))
        });
        match parts {
            Some([result, claim, value]) if !result.is_empty() && !claim.is_empty() && !value.is_empty() => {
                Ok(Self { result, claim, value })
            }
            _ => {
                Err(BadRule(format!("{text:?} is not RESULT=CLAIM:VALUE, such as approver=groups:security")))
            }
        }
    }
}

impl ClaimRule {
    fn holds(&self, claims: &Map<String, Value>) -> bool {
        let is_value = |value: &Value| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                _ => return false,
            };
            self.value == "*" || self.value == text
        };
        // Some providers let people enter any address.
        if self.claim == EMAIL && verified_email(claims).is_err() {
            return false;
        }
        match claims.get(&self.claim) {
            Some(Value::Array(values)) => values.iter().any(is_value),
            Some(value) => is_value(value),
            None => false,
        }
    }
}

impl ClaimMapping {
    /// Makes a mapping. Without a name claim, the verified e-mail address is the name. Fails if no rule gives a role,
    /// or one gives an agent's role.
    pub fn new(
        name_claim: Option<String>,
        [roles, levels, groups]: [Vec<ClaimRule>; 3],
        email_domains: Vec<String>,
    ) -> Result<Self, BadRule> {
        if roles.is_empty() {
            return Err(BadRule("no rule gives a role, so no one could sign in".to_owned()));
        }
        let role = |rule: ClaimRule| match rule.result.parse() {
            Ok(role @ (Role::Approver | Role::Auditor | Role::Admin)) => Ok((role, rule)),
            _ => Err(BadRule(format!("{:?} is not approver, auditor or admin", rule.result))),
        };
        Ok(Self {
            name_claim: name_claim.unwrap_or_else(|| EMAIL.to_owned()),
            roles: roles.into_iter().map(role).collect::<Result<_, _>>()?,
            levels,
            groups,
            email_domains: email_domains.into_iter().map(|domain| domain.to_ascii_lowercase()).collect(),
        })
    }

    /// Returns true if a claim that the settings name is missing, so that it may be worth asking the provider for more
    /// claims.
    pub(crate) fn lacks_claims(&self, claims: &Map<String, Value>) -> bool {
        let rules = self.roles.iter().map(|(_, rule)| rule).chain(&self.levels).chain(&self.groups);
        let mut named: Vec<_> = rules.map(|rule| rule.claim.as_str()).collect();
        named.push(&self.name_claim);
        if !self.email_domains.is_empty() || named.contains(&EMAIL) {
            named.extend([EMAIL, EMAIL_VERIFIED]);
        }
        named.into_iter().any(|claim| !claims.contains_key(claim))
    }

    /// Returns the person that the claims describe. The error says, for that person, why there is none.
    pub(crate) fn find_person(&self, claims: &Map<String, Value>) -> Result<ProviderPerson, String> {
        if !self.email_domains.is_empty() {
            let (_, domain) = verified_email(claims)?.rsplit_once('@').unwrap_or_default();
            if !self.email_domains.contains(&domain.to_ascii_lowercase()) {
                return Err(format!("addresses at {domain:?} are not accepted here; {ASK}"));
            }
        }
        let name = if self.name_claim == EMAIL {
            verified_email(claims)?.to_owned()
        } else {
            let name = claims.get(&self.name_claim).and_then(Value::as_str).unwrap_or_default();
            if name.is_empty() {
                let claim = &self.name_claim;
                return Err(format!("the identity provider sends no name in the claim {claim:?}; {ASK}"));
            }
            name.to_owned()
        };
        let Some((role, _)) = self.roles.iter().find(|(_, rule)| rule.holds(claims)) else {
            return Err(format!("the account {name:?} has no role here; {ASK}"));
        };
        let results = |rules: &[ClaimRule]| {
            let holding = rules.iter().filter(|rule| rule.holds(claims));
            holding.map(|rule| rule.result.clone()).collect::<Vec<_>>()
        };
        // Only an approver has a level and groups.
        let rules: [&[ClaimRule]; 2] =
            if *role == Role::Approver { [&self.levels, &self.groups] } else { [&[], &[]] };
        let mut groups = results(rules[1]);
        groups.sort();
        groups.dedup();
        groups.truncate(MAX_GROUPS);
        Ok(ProviderPerson { name, role: *role, level: results(rules[0]).into_iter().next(), groups })
    }
}

pub(crate) const EMAIL: &str = "email";
pub(crate) const EMAIL_VERIFIED: &str = "email_verified";

/// The remedy for a person whom the settings give nothing.
const ASK: &str = "ask an administrator of Countersign";

/// The e-mail address. Some providers let people enter any address, so use only one that the provider has verified.
fn verified_email(claims: &Map<String, Value>) -> Result<&str, String> {
    let is_verified = match claims.get(EMAIL_VERIFIED) {
        // Some providers send a string.
        Some(Value::String(text)) => text == "true",
        Some(value) => *value == Value::Bool(true),
        None => false,
    };
    match claims.get(EMAIL).and_then(Value::as_str) {
        Some(email) if is_verified && !email.is_empty() => Ok(email),
        Some(_) => Err(format!("the identity provider has not verified the e-mail address; {ASK}")),
        None => Err(format!("the identity provider sends no e-mail address; {ASK}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rules(texts: &[&str]) -> Vec<ClaimRule> {
        texts.iter().map(|text| text.parse().expect("a rule")).collect()
    }

    fn person(mapping: &ClaimMapping, claims: Value) -> Result<ProviderPerson, String> {
        let Value::Object(claims) = claims else { panic!("an object") };
        mapping.find_person(&claims)
    }

    fn mapping(name: Option<&str>, domains: &[&str]) -> ClaimMapping {
        let roles = rules(&["admin=groups:platform", "approver=groups:engineering", "auditor=staff:true"]);
        let levels = rules(&["admin=groups:leads", "user=sub:*"]);
        let groups = rules(&["security=groups:sec", "ops=groups:ops", "ops=groups:operations"]);
        let domains = domains.iter().map(|domain| (*domain).to_owned()).collect();
        ClaimMapping::new(name.map(str::to_owned), [roles, levels, groups], domains).expect("a mapping")
    }

    #[test]
    fn rules_give_role_level_and_groups() {
        let mapping = mapping(Some("sub"), &[]);
        let ada = json!({"sub": "ada", "groups": ["engineering", "leads", "sec", "operations", "ops"]});
        let expected = ProviderPerson {
            name: "ada".to_owned(),
            role: Role::Approver,
            level: Some("admin".to_owned()),
            groups: vec!["ops".to_owned(), "security".to_owned()],
        };
        assert_eq!(person(&mapping, ada), Ok(expected));
        let root = person(&mapping, json!({"sub": "root", "groups": ["engineering", "platform", "leads"]}));
        assert_eq!(root.map(|person| (person.role, person.level)), Ok((Role::Admin, None)));
        let eve = person(&mapping, json!({"sub": "eve", "groups": "none", "staff": true}));
        assert_eq!(eve.map(|person| person.role), Ok(Role::Auditor));
        assert!(person(&mapping, json!({"sub": "bob", "groups": {"engineering": true}})).is_err());
        assert!(person(&mapping, json!({"sub": "bob"})).expect_err("no role").contains("no role here"));
        assert!(
            person(&mapping, json!({"groups": ["engineering"]})).expect_err("no name").contains("\"sub\"")
        );
    }

    #[test]
    fn only_verified_addresses_of_accepted_domains_sign_in() {
        let mapping = mapping(None, &["Example.com"]);
        let with = |email: &str, verified: Value| {
            let claims = json!({"email": email, "email_verified": verified, "groups": ["engineering"]});
            person(&mapping, claims).map(|person| person.name)
        };
        assert_eq!(with("ada@example.COM", json!(true)), Ok("ada@example.COM".to_owned()));
        assert_eq!(with("ada@example.com", json!("true")), Ok("ada@example.com".to_owned()));
        for (email, verified) in [
            ("ada@example.com", json!(false)),
            ("ada@example.com", Value::Null),
            ("ada@evil.example", json!(true)),
            ("ada@example.com@evil.example", json!(true)),
            ("ada@sub.example.com", json!(true)),
            ("example.com", json!(true)),
            ("", json!(true)),
        ] {
            assert!(with(email, verified.clone()).is_err(), "{email} {verified}");
        }
    }

    #[test]
    fn rule_about_an_address_needs_a_verified_one() {
        let roles = rules(&["approver=email:ada@example.com"]);
        let mapping = ClaimMapping::new(Some("sub".to_owned()), [roles, Vec::new(), Vec::new()], Vec::new());
        let mapping = mapping.expect("a mapping");
        let with = |verified: bool| {
            person(&mapping, json!({"sub": "ada", "email": "ada@example.com", "email_verified": verified}))
        };
        assert!(with(true).is_ok() && with(false).is_err());
        let Value::Object(claims) = json!({"sub": "ada", "email": "ada@example.com"}) else {
            panic!("an object")
        };
        assert!(mapping.lacks_claims(&claims), "the provider is asked whether it has verified the address");
    }

    #[test]
    fn unusable_rule_is_refused() {
        for text in ["", "approver", "approver=groups", "=groups:x", "approver=:x", "approver=groups:"] {
            assert!(text.parse::<ClaimRule>().is_err(), "{text}");
        }
        for roles in [&[][..], &["agent=groups:x"], &["boss=groups:x"]] {
            assert!(ClaimMapping::new(None, [rules(roles), Vec::new(), Vec::new()], Vec::new()).is_err());
        }
    }
}
