//! The built-in pattern tables. They are data: `data/*.toml`.

use serde::{Deserialize, de::DeserializeOwned};
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// The words of `data/keys.toml`.
#[derive(Debug, Deserialize)]
pub(crate) struct KeyTable {
    pub(crate) secret_parts: Vec<String>,
    pub(crate) secret_words: HashSet<String>,
    pub(crate) short_secret_words: HashSet<String>,
    pub(crate) property_words: HashSet<String>,
    pub(crate) action_words: HashSet<String>,
    pub(crate) secret_before_key: HashSet<String>,
    pub(crate) secret_before_code: HashSet<String>,
    pub(crate) secret_before_phrase: HashSet<String>,
    pub(crate) field_words: HashSet<String>,
    pub(crate) vendors: HashSet<String>,
    pub(crate) harmless_beside_key: HashSet<String>,
    pub(crate) harmless_beside_token: HashSet<String>,
    pub(crate) other_words: HashSet<String>,
}

/// The values of `data/values.toml`.
#[derive(Debug, Deserialize)]
pub(crate) struct ValueTable {
    pub(crate) words: HashSet<String>,
    pub(crate) prefixes: Vec<String>,
    pub(crate) setting_keys: HashSet<String>,
}

/// The rules of `data/programs.toml`.
#[derive(Debug, Deserialize)]
pub(crate) struct SecretProgramTable {
    pub(crate) option: Vec<OptionRule>,
    pub(crate) named: Vec<String>,
    pub(crate) switches: Vec<SwitchRule>,
    pub(crate) stdin: Vec<StdinRule>,
}

/// The options or the position where a program takes a secret.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionRule {
    pub(crate) programs: Vec<String>,
    #[serde(default)]
    pub(crate) with: Vec<String>,
    #[serde(default)]
    pub(crate) next: Vec<String>,
    #[serde(default)]
    pub(crate) joined: Vec<String>,
    #[serde(default)]
    pub(crate) part: SecretPart,
    pub(crate) position: Option<usize>,
    #[serde(default)]
    pub(crate) last: bool,
}

/// Options of programs that take no value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchRule {
    pub(crate) programs: Vec<String>,
    pub(crate) options: Vec<String>,
}

/// A command that reads a secret from its standard input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StdinRule {
    pub(crate) programs: Vec<String>,
    /// Words that the command must contain.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// It must start one of these programs, because it may leave its input to them.
    #[serde(default)]
    pub(crate) starts: Vec<String>,
    #[serde(default)]
    pub(crate) part: SecretPart,
}

/// The secret part of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SecretPart {
    #[default]
    All,
    /// The text after the first colon, as in `user:secret`.
    AfterColon,
    /// The text after the first percent sign, as in `user%secret`.
    AfterPercent,
    /// The text after the first comma, as in `user,secret`.
    AfterComma,
    /// The text between the first slash and the last `@`, as in `user/secret@host`.
    AfterSlash,
    /// The text after `pass:`.
    AfterPass,
    /// The text after the first `=`.
    Assignment,
    /// The values of `name=value; name=value`.
    Cookies,
}

/// The files of `data/files.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileTable {
    pub(crate) folders: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) users: Vec<String>,
    pub(crate) endings: Vec<String>,
}

#[derive(Deserialize)]
struct SecretCallTable {
    calls: HashMap<String, usize>,
}

#[derive(Deserialize)]
struct VendorTable {
    vendors: HashSet<String>,
}

#[derive(Deserialize)]
struct ShapeTable<T> {
    shape: Vec<T>,
}

pub(crate) static KEYS: LazyLock<KeyTable> = LazyLock::new(|| {
    let mut table: KeyTable = parse(include_str!("../data/keys.toml"));
    table.vendors.extend(parse::<VendorTable>(include_str!("../data/vendors.toml")).vendors);
    table
});
pub(crate) static VALUES: LazyLock<ValueTable> = LazyLock::new(|| parse(include_str!("../data/values.toml")));
pub(crate) static FILES: LazyLock<FileTable> = LazyLock::new(|| parse(include_str!("../data/files.toml")));
/// The secret argument of calls, by their names in lower case.
pub(crate) static CALLS: LazyLock<HashMap<String, usize>> =
    LazyLock::new(|| parse::<SecretCallTable>(include_str!("../data/calls.toml")).calls);
pub(crate) static PROGRAMS: LazyLock<SecretProgramTable> =
    LazyLock::new(|| parse(include_str!("../data/programs.toml")));

/// Reads the rows of `data/shapes.toml` and `data/gitleaks.toml`. Only the combined expression is kept, so this is not
/// a static.
pub(crate) fn read_shapes<T: DeserializeOwned>() -> Vec<T> {
    let tables = [include_str!("../data/shapes.toml"), include_str!("../data/gitleaks.toml")];
    tables.into_iter().flat_map(|text| parse::<ShapeTable<T>>(text).shape).collect()
}

fn parse<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("a table of this crate, which a test reads")
}
