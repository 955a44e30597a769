//! Names of tools that people may take for each other: a server could offer a tool under the name of another one.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The separator between a server name and a tool name.
const SERVER_END: &str = "__";

/// The shortest name in which one edit makes another name look the same. Short names differ by one letter anyway.
const LEAST_EDITED: usize = 5;

/// Letters that look like Latin ones, in lower case.
const LOOK_LIKE_LATIN: &[(char, char)] = &[
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('н', 'h'),
    ('і', 'l'),
    ('ј', 'j'),
    ('к', 'k'),
    ('м', 'm'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('т', 't'),
    ('у', 'y'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('α', 'a'),
    ('ι', 'l'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
    ('0', 'o'),
    ('1', 'l'),
    ('i', 'l'),
    ('5', 's'),
];

/// How two names are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples("oneEdit")))]
#[serde(rename_all = "camelCase")]
pub enum Likeness {
    /// They differ only in case, separators or letters that look the same.
    SameLook,
    /// They differ in one letter, and belong to different servers.
    OneEdit,
    /// Two servers have a tool of this name.
    SameTool,
    /// A likeness that only a newer version knows.
    #[serde(other)]
    Other,
}

/// The similarity of two different tool names; `None` if no person mistakes one for the other. Tools of one server
/// often differ by one letter (`list_issue`, `list_issues`), and one author chooses their names, so for them only
/// visual similarity counts.
#[must_use]
pub fn likeness(one: &str, other: &str) -> Option<Likeness> {
    if one == other {
        return None;
    }
    let (look, other_look) = (skeleton(one), skeleton(other));
    if look == other_look {
        return Some(Likeness::SameLook);
    }
    let (server, other_server) = (split_server(one), split_server(other));
    if let (Some((a, _)), Some((b, _))) = (server, other_server)
        && a == b
    {
        return None;
    }
    let tool = server.map_or(one, |(_, tool)| tool);
    let other_tool = other_server.map_or(other, |(_, tool)| tool);
    if skeleton(tool) == skeleton(other_tool) {
        let servers = server.zip(other_server).map(|((a, _), (b, _))| (skeleton(a), skeleton(b)));
        let is_edited = servers.is_some_and(|(a, b)| is_long_and_edited(&a, &b));
        return Some(if is_edited { Likeness::OneEdit } else { Likeness::SameTool });
    }
    is_long_and_edited(&look, &other_look).then_some(Likeness::OneEdit)
}

/// The server and the tool in a name such as `github__create_issue`.
fn split_server(name: &str) -> Option<(&str, &str)> {
    name.split_once(SERVER_END).filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// What a hurried reader sees of a name: letters in one case without separators, and one letter for all that look like it.
fn skeleton(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_lowercase() && c != 'i';
    if name.chars().all(is_plain) && !name.contains("rn") && !name.contains("vv") {
        return Cow::Borrowed(name);
    }
    let letters = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).map(|c| {
        let c = fold_full_width(c);
        LOOK_LIKE_LATIN.iter().find(|(alike, _)| *alike == c).map_or(c, |(_, latin)| *latin)
    });
    Cow::Owned(letters.collect::<String>().replace("rn", "m").replace("vv", "w"))
}

/// The ASCII equivalent of a full-width character.
fn fold_full_width(c: char) -> char {
    match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(c).to_ascii_lowercase(),
        _ => c,
    }
}

fn is_long_and_edited(one: &str, other: &str) -> bool {
    one.chars().count().min(other.chars().count()) >= LEAST_EDITED && is_one_edit(one, other)
}

/// Returns true if one insertion, removal, replacement or swap of neighbours turns one string into the other.
fn is_one_edit(one: &str, other: &str) -> bool {
    let (mut short, mut long): (Vec<_>, Vec<_>) = (one.chars().collect(), other.chars().collect());
    if short.len() > long.len() {
        std::mem::swap(&mut short, &mut long);
    }
    if long.len() - short.len() > 1 {
        return false;
    }
    let start = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[start..], &long[start..]);
    if short.len() < long.len() {
        return long[1..] == *short;
    }
    let is_swap = || short.len() > 1 && short[0] == long[1] && short[1] == long[0] && short[2..] == long[2..];
    short.is_empty() || short[1..] == long[1..] || is_swap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_confuse_are_alike() {
        for (one, other, expected) in [
            ("github__create_issue", "githud__create_issue", Likeness::OneEdit),
            ("github__create_issue", "gihtub__create_issue", Likeness::OneEdit),
            ("github__create_issue", "github2__create_issue", Likeness::OneEdit),
            ("read_file", "read-file", Likeness::SameLook),
            ("read_file", "ReadFile", Likeness::SameLook),
            ("files__read", "fi1es__read", Likeness::SameLook),
            ("intern__list", "intem__list", Likeness::SameLook),
            ("copy", "сору", Likeness::SameLook),
            ("ｂash", "bash", Likeness::SameLook),
            ("a__read_file", "b__read_file", Likeness::SameTool),
            ("read_file", "files__read_file", Likeness::SameTool),
        ] {
            assert_eq!(likeness(one, other), Some(expected), "{one} {other}");
            assert_eq!(likeness(other, one), Some(expected), "{other} {one}");
        }
    }

    #[test]
    fn names_that_differ_are_not_alike() {
        for (one, other) in [
            ("bash", "bash"),
            ("bash", "dash"),
            ("github__list_issue", "github__list_issues"),
            ("github__create_issue", "github__close_issue"),
            ("github__create_issue", "gitlab__create_merge_request"),
            ("", "a"),
        ] {
            assert_eq!(likeness(one, other), None, "{one} {other}");
        }
    }
}
