//! Where a call runs.

use crate::{Json, Sha256};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a call runs: an MCP server, a folder, a program. An approval holds only in an equal place. The proposer names
/// it, like everything else about the call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"server": "staging", "address": "npx shop-server --staging", "folder": "/home/ada/shop", "project": "/home/ada/shop", "host": "ada-laptop"}))))]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The MCP server's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The MCP server's command line, or the origin and path of its URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The script or package that runs the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The folder in which the call runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The folder of the project in which a coding agent works. Rules with `inside = "project"` are about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The machine on which the call runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Where symbolic links on the paths that the call names lead, as far as that is outside of the project. `inside` looks
    /// at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link_targets: Vec<String>,
    /// The Git branch that is checked out in the folder, if the call changes it without naming it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The default branch of the Git repository, if the call may change a branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_branch: Option<String>,
    /// The agent as its own software names it: its kind, and behind a slash the sub-agent, such as `claude-code/explore`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// SHA-256 of the place's canonical form before a secret in it was masked. Only Countersign sets it: places that differ
    /// in a secret alone stay different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(read_only))]
    pub digest: Option<Sha256>,
}

impl Place {
    /// The largest place: bytes of all its fields together.
    pub const MAX_BYTES: usize = 4096;
    /// The most targets of symbolic links that a place has.
    pub const MAX_LINK_TARGETS: usize = 16;

    /// The place that is a folder and nothing else.
    #[must_use]
    pub fn folder(folder: impl Into<String>) -> Self {
        Self { folder: Some(folder.into()), ..Self::default() }
    }

    /// The fields that are set, with their names, in the order in which people read them.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [
            ("server", &self.server),
            ("address", &self.address),
            ("program", &self.program),
            ("folder", &self.folder),
            ("project", &self.project),
            ("host", &self.host),
            ("branch", &self.branch),
            ("defaultBranch", &self.default_branch),
            ("agent", &self.agent),
        ];
        all.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }

    /// The agent's kind: its name without the sub-agent.
    #[must_use]
    pub fn agent_kind(&self) -> Option<&str> {
        let name = self.agent.as_deref()?;
        Some(name.split_once('/').map_or(name, |(kind, _)| kind))
    }

    /// The place as a grant or a remembered denial keeps it. A sub-agent works for its agent, so a decision for one holds for
    /// the other: a denied agent cannot send a sub-agent instead.
    #[must_use]
    pub fn without_sub_agent(&self) -> Self {
        Self { agent: self.agent_kind().map(str::to_owned), ..self.clone() }
    }

    /// Returns true if a grant or a denial for a call in one place holds in the other.
    #[must_use]
    pub fn is_shared(one: Option<&Self>, other: Option<&Self>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) if one.agent != other.agent => {
                one.without_sub_agent() == other.without_sub_agent()
            }
            _ => one == other,
        }
    }

    /// Checks a place as a proposer sends it. The error says what is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        if self.digest.is_some() {
            return Err("has a digest, which only Countersign sets: leave it out".to_owned());
        }
        if self.fields().next().is_none() {
            return Err(
                "is empty: name a server, address, program, folder, project, host or agent, or leave it out"
                    .to_owned(),
            );
        }
        if self.link_targets.len() > Self::MAX_LINK_TARGETS {
            return Err(format!("has more than {} linkTargets", Self::MAX_LINK_TARGETS));
        }
        let targets = || self.link_targets.iter().map(|target| ("linkTargets", target.as_str()));
        let all = || self.fields().chain(targets());
        if let Some((name, _)) = all().find(|(_, text)| text.is_empty() || text.contains(char::is_control)) {
            return Err(format!("{name} must not be empty or contain control characters"));
        }
        let bytes: usize = all().map(|(_, text)| text.len()).sum();
        if bytes > Self::MAX_BYTES {
            return Err(format!("has {bytes} bytes; the limit is {}", Self::MAX_BYTES));
        }
        Ok(())
    }

    /// The place with each string replaced by `mask`, which returns `None` for a string without a secret. A masked
    /// place keeps the original's digest.
    #[must_use]
    pub fn masked(&self, mask: impl Fn(&str) -> Option<String>) -> Self {
        let mask_text = |text: &String| mask(text).unwrap_or_else(|| text.clone());
        let mask_field = |text: &Option<String>| text.as_ref().map(mask_text);
        let masked = Self {
            server: mask_field(&self.server),
            address: mask_field(&self.address),
            program: mask_field(&self.program),
            folder: mask_field(&self.folder),
            project: mask_field(&self.project),
            host: mask_field(&self.host),
            branch: mask_field(&self.branch),
            default_branch: mask_field(&self.default_branch),
            link_targets: self.link_targets.iter().map(mask_text).collect(),
            agent: mask_field(&self.agent),
            digest: self.digest,
        };
        if masked == *self {
            return masked;
        }
        let digest = Json::encode(&self.without_sub_agent()).ok().and_then(|json| json.canonical_hash().ok());
        Self { digest, ..masked }
    }
}

/// As people read it: `server staging, folder /srv/shop`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, text)) in self.fields().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{name} {text}")?;
        }
        for target in &self.link_targets {
            write!(f, ", with a link to {target}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(address: &str) -> Place {
        Place { server: Some("db".to_owned()), address: Some(address.to_owned()), ..Place::default() }
    }

    #[test]
    fn masked_places_stay_different() {
        let mask = |text: &str| text.contains("secret").then(|| "[masked]".to_owned());
        let (one, other) = (server("secret-1").masked(mask), server("secret-2").masked(mask));
        assert_eq!((one.address.as_deref(), other.address.as_deref()), (Some("[masked]"), Some("[masked]")));
        assert_ne!(one, other);
        assert_eq!(one, server("secret-1").masked(mask), "the same place is equal again");
        assert_eq!(server("plain").masked(mask), server("plain"), "an unmasked place has no digest");
    }

    #[test]
    fn sub_agent_shares_its_agents_place() {
        let by = |agent: &str| Place { agent: Some(agent.to_owned()), ..Place::folder("/srv/shop") };
        let (main, sub, other) = (by("claude-code"), by("claude-code/explore"), by("codex"));
        assert_ne!(main, sub);
        assert!(Place::is_shared(Some(&main), Some(&sub)));
        assert!(!Place::is_shared(Some(&main), Some(&other)));
        assert!(!Place::is_shared(Some(&main), Some(&Place::folder("/srv/shop"))));
        assert!(!Place::is_shared(Some(&main), None));
        assert!(!Place::is_shared(
            Some(&sub),
            Some(&Place { folder: Some("/srv".to_owned()), ..sub.clone() })
        ));
        let secret =
            |place: &Place| place.masked(|text| (text == "/srv/shop").then(|| "[masked]".to_owned()));
        assert!(Place::is_shared(Some(&secret(&main)), Some(&secret(&sub))));
    }

    #[test]
    fn invalid_places_name_their_fault() {
        let long = "x".repeat(Place::MAX_BYTES);
        let cases = [
            (Place::default(), "is empty"),
            (Place::folder(""), "folder must not be empty"),
            (Place::folder("/srv\n/x"), "control characters"),
            (server(&long), "the limit is 4096"),
            (
                Place { digest: Json::string("x").canonical_hash().ok(), ..server("a") },
                "only Countersign sets",
            ),
        ];
        for (place, expected) in cases {
            let fault = place.check().expect_err(expected);
            assert!(fault.contains(expected), "{fault}");
        }
        assert_eq!(server("npx db").check(), Ok(()));
        assert_eq!(
            Place { host: Some("box".to_owned()), ..server("npx db") }.to_string(),
            "server db, address npx db, host box"
        );
    }
}
