//! The source text of a policy.

use countersign_events::{PolicyLayer, PolicySet, Sha256};

/// The layers' folder, beside the main file.
pub const LAYER_FOLDER: &str = "policy.d/";

/// The managed layer's name. This layer has the rules that people accepted.
pub const MANAGED_LAYER: &str = "policy.d/managed.toml";

/// The maximum number of layers per policy.
pub const MAX_LAYERS: usize = 64;

/// The maximum length of a layer name, in bytes.
const MAX_LAYER_NAME_BYTES: usize = 128;

/// The source text of a policy: its main file, and the files of `policy.d` beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyText {
    /// The main file's text.
    pub text: String,
    /// The files of `policy.d`, in the order of their names.
    pub layers: Vec<PolicyLayer>,
}

impl PolicyText {
    /// The text's SHA-256. If there are layers, it also covers their names and content.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        if self.layers.is_empty() {
            return Sha256::digest(self.text.as_bytes());
        }
        // The output of `sha256sum - policy.d/*.toml < policy.toml`, so that the hash can be checked in a shell.
        let layers = self.layers.iter().map(|layer| (layer.name.as_str(), &layer.text));
        let line = |(name, text): (&str, &String)| format!("{}  {name}\n", Sha256::digest(text.as_bytes()));
        let lines: String = std::iter::once(("-", &self.text)).chain(layers).map(line).collect();
        Sha256::digest(lines.as_bytes())
    }

    /// The total size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.layers.iter().map(|layer| layer.text.len()).fold(self.text.len(), usize::saturating_add)
    }

    /// Checks that the layers are few, have plain names, and are in the order of their names.
    pub(crate) fn check_layer_names(&self) -> Result<(), String> {
        let layers = self.layers.len();
        if layers > MAX_LAYERS {
            return Err(format!("it has {layers} files in {LAYER_FOLDER}; the limit is {MAX_LAYERS}"));
        }
        if let Some(layer) = self.layers.iter().find(|layer| !is_layer_name(&layer.name)) {
            return Err(format!(
                "the name {:?} is not possible for a layer; use letters, digits, `-`, `_` and `.`, as in \"{LAYER_FOLDER}10-team.toml\"",
                layer.name
            ));
        }
        match self
            .layers
            .windows(2)
            .find(|pair| pair.first().map(|a| &a.name) >= pair.last().map(|b| &b.name))
        {
            Some(_) => Err("its layers are not in the order of their names".to_owned()),
            None => Ok(()),
        }
    }
}

impl From<&str> for PolicyText {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), layers: Vec::new() }
    }
}

impl From<&PolicySet> for PolicyText {
    fn from(set: &PolicySet) -> Self {
        Self { text: set.text.clone(), layers: set.layers.clone() }
    }
}

/// The extensions of files in [`LAYER_FOLDER`] that belong to a policy: layers and advisor attachments.
pub const LAYER_ENDINGS: [&str; 3] = [".toml", ".prompt", ".cedar"];

/// Returns true if a policy file is an advisor attachment (a prompt or a Cedar policy), and not TOML.
pub(crate) fn is_attachment(name: &str) -> bool {
    name.starts_with(LAYER_FOLDER) && LAYER_ENDINGS.iter().skip(1).any(|ending| name.ends_with(ending))
}

fn is_layer_name(name: &str) -> bool {
    let file = name.strip_prefix(LAYER_FOLDER);
    let stem = file.and_then(|file| LAYER_ENDINGS.iter().find_map(|ending| file.strip_suffix(ending)));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.len() <= MAX_LAYER_NAME_BYTES
        && stem.is_some_and(|stem| !stem.is_empty() && !stem.starts_with('.') && stem.chars().all(is_plain))
}

/// A layer rule's name.
pub(crate) fn qualify_rule_name(layer: &str, rule: &str) -> String {
    format!("{layer}: {rule}")
}

/// The name that a rule has in its own file, without the layer's name.
#[must_use]
pub fn plain_rule_name(rule: &str) -> &str {
    let in_layer = rule.strip_prefix(LAYER_FOLDER).and_then(|rest| rest.split_once(".toml: "));
    in_layer.map_or(rule, |(_, name)| name)
}
