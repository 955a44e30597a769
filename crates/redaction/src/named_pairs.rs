//! Finds pairs in objects: a name and its value, a field and the text typed into it, a file and its content.

use super::{
    keys::{KeyJudgement, SensitiveKeys, judge_field},
    mask::MASK,
    secret_files,
};
use std::borrow::Cow;

/// An object member: its key, its index, and its text if it is a string.
pub(crate) struct PairMember<'a> {
    pub(crate) key: &'a str,
    pub(crate) child: usize,
    pub(crate) text: Option<Cow<'a, str>>,
    /// Whether it is the literal `true`.
    pub(crate) is_true: bool,
}

/// What an object's other members say about one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairJudgement {
    pub(crate) child: usize,
    pub(crate) judged: KeyJudgement,
}

const NAMES: &[&str] = &[
    "name",
    "key",
    "k",
    "header",
    "field",
    "variable",
    "var",
    "env",
    "param",
    "parameter",
    "parameterkey",
    "optionname",
    "settingname",
    "secretname",
    "attribute",
    "property",
    "option",
    "setting",
];
const VALUES: &[&str] =
    &["value", "val", "v", "values", "parametervalue", "optionvalue", "default", "current_value"];
/// Members that an action has when it types into a field.
const FIELDS: &[&str] = &[
    "selector",
    "element",
    "field",
    "label",
    "locator",
    "placeholder",
    "description",
    "target",
    "css",
    "xpath",
    "id",
    "type",
    "aria-label",
    "arialabel",
    "testid",
    "name",
    "query",
    "title",
    "fieldname",
    "autocomplete",
];
const INPUTS: &[&str] = &["text", "value", "input", "keys", "typed", "content", "characters"];
/// Members that say that a value is secret.
const FLAGS: &[&str] = &[
    "secret",
    "issecret",
    "is_secret",
    "secure",
    "issecure",
    "sensitive",
    "masked",
    "protected",
    "encrypted",
];
const PATHS: &[&str] = &[
    "path",
    "file_path",
    "filepath",
    "file",
    "filename",
    "file_name",
    "dest",
    "destination",
    "target_file",
    "uri",
];
const CONTENTS: &[&str] =
    &["content", "contents", "text", "data", "file_text", "body", "value", "new_string", "new_str"];

/// The maximum length of text that names a field. Longer text describes something.
const MAX_FIELD: usize = 100;

/// Lists what object members say about each other.
pub(crate) fn judge_pairs(keys: &SensitiveKeys, members: &[PairMember<'_>]) -> Vec<PairJudgement> {
    let mut found = Vec::new();
    let first = |names: &[&str]| members.iter().find(|member| is_one_of(names, member.key));
    if let (Some(name), Some(value)) = (first(NAMES), first(VALUES)) {
        let text = name.text.as_deref().filter(|text| !text.contains(MASK));
        let judged = text.map_or(KeyJudgement::Clear, |text| keys.judge(text));
        found.push(PairJudgement { child: value.child, judged });
    }
    if let Some(input) = first(INPUTS) {
        let fields =
            members.iter().filter(|member| is_one_of(FIELDS, member.key) && member.child != input.child);
        let judged = fields.filter_map(judge_description).max().unwrap_or(KeyJudgement::Clear);
        found.push(PairJudgement { child: input.child, judged });
    }
    if members.iter().any(|member| member.is_true && is_one_of(FLAGS, member.key))
        && let Some(value) = first(VALUES)
    {
        found.push(PairJudgement { child: value.child, judged: KeyJudgement::Strong });
    }
    found.retain(|pair| pair.judged != KeyJudgement::Clear);
    found
}

/// The member that names the pair. It is not secret, even under a sensitive key.
pub(crate) fn name_of_pair(members: &[PairMember<'_>]) -> Option<usize> {
    let first = |names: &[&str]| members.iter().find(|member| is_one_of(names, member.key));
    let (name, value) = (first(NAMES)?, first(VALUES)?);
    (name.child != value.child).then_some(name.child)
}

/// The member with file content whose file name says that it is a secret.
pub(crate) fn secret_content(keys: &SensitiveKeys, members: &[PairMember<'_>]) -> Option<usize> {
    let mut paths = members
        .iter()
        .filter(|member| is_one_of(PATHS, member.key))
        .filter_map(|member| member.text.as_deref());
    let content = members.iter().find(|member| is_one_of(CONTENTS, member.key))?;
    let part = paths.find_map(|path| secret_files::secret_part_of(keys, path))?;
    let text = content.text.as_deref()?;
    let value = super::program_rules::secret_part(part, text, 0).map(|range| &text[range]);
    value.is_some_and(secret_files::is_secret_content).then_some(content.child)
}

fn is_one_of(names: &[&str], key: &str) -> bool {
    names.iter().any(|name| key.eq_ignore_ascii_case(name))
}

/// Judges a member that describes a field. A description must name nothing but the field.
fn judge_description(member: &PairMember<'_>) -> Option<KeyJudgement> {
    let text = member.text.as_deref().filter(|text| text.len() <= MAX_FIELD && !text.contains(MASK))?;
    let judged = judge_field(text);
    let certain = ["selector", "element", "field", "label", "locator", "placeholder", "type", "autocomplete"];
    if is_one_of(&certain, member.key) {
        return Some(judged);
    }
    let short = text.split_whitespace().count() <= 4;
    short.then(|| judged.min(KeyJudgement::Short))
}
