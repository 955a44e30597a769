//! Finds the members of an object that hold one name and its value: a header, a variable, or a field of a form.

use std::borrow::Cow;

/// The nodes of a name and its value.
#[derive(Debug)]
pub(crate) struct PairMembers {
    pub(crate) name: usize,
    pub(crate) value: usize,
}

const NAMES: &[&str] =
    &["name", "key", "k", "header", "field", "variable", "var", "env", "param", "parameter"];
const VALUES: &[&str] = &["value", "val", "v", "values"];
/// The members of an action that types into a field.
const FIELDS: &[&str] = &["selector", "element", "field", "label", "locator"];
const INPUTS: &[&str] = &["text", "value", "input"];

impl PairMembers {
    pub(crate) fn find(members: &[(Cow<'_, str>, usize)]) -> Option<Self> {
        let member = |names: &[&str]| {
            let known = |key: &str| names.iter().any(|name| key.eq_ignore_ascii_case(name));
            members.iter().find(|(key, _)| known(key)).map(|(_, child)| *child)
        };
        let pair = |names, values| Some(Self { name: member(names)?, value: member(values)? });
        pair(NAMES, VALUES).or_else(|| pair(FIELDS, INPUTS)).filter(|pair| pair.name != pair.value)
    }
}
