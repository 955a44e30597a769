//! The table of arguments that have no effect on what a call runs, as it is written in `harmless_arguments.toml`.

use crate::{outcome::RuleEffect, tools::OperandKind, value::OrderedValue};
use countersign_patterns::ParsedPath;
use serde::Deserialize;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

static TABLE: LazyLock<HarmlessTable> = LazyLock::new(|| {
    HarmlessTable::read(include_str!("harmless_arguments.toml")).expect("the table is valid")
});

/// The separator between an MCP server name and a tool name.
const SERVER_END: &str = "__";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HarmlessTable {
    literal_paths: Vec<String>,
    #[serde(rename = "family")]
    families: Vec<ToolFamily>,
    /// The families that list each tool by its [plain name](plain_name), and under `*` those of every tool.
    #[serde(skip)]
    by_name: HashMap<String, Vec<usize>>,
}

/// Tools with the same arguments.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFamily {
    #[expect(dead_code, reason = "it is for the readers of the table")]
    about: String,
    kind: Option<ToolKind>,
    reach: Option<ToolReach>,
    tools: Vec<String>,
    /// The tools as the table writes them.
    #[serde(skip)]
    written: Vec<String>,
    #[serde(default = "every_kind")]
    beside: Vec<OperandKind>,
    #[serde(default)]
    arguments: Vec<HarmlessArgument>,
    #[serde(default)]
    effects: BTreeMap<String, String>,
    #[serde(default)]
    prose: Vec<String>,
    #[serde(default)]
    words: Vec<String>,
}

/// What a tool uses of the files below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ToolReach {
    /// It searches what they contain.
    Content,
    /// It lists their names.
    Names,
}

impl ToolReach {
    /// The reach of a tool; `None` if the table knows of none.
    pub(crate) fn of_tool(tool: &str) -> Option<Self> {
        TABLE.families_of_name(&plain_name(tool)).find_map(|family| family.reach)
    }
}

/// What a coding agent's tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ToolKind {
    Shell,
    Edit,
    Read,
    Fetch,
}

impl ToolKind {
    pub(crate) const ALL: [Self; 4] = [Self::Shell, Self::Edit, Self::Read, Self::Fetch];

    /// Its name in a policy.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Edit => "edit",
            Self::Read => "read",
            Self::Fetch => "fetch",
        }
    }

    /// Whether a tool is of this kind. An MCP server's tool may merely share the name of an agent's tool, so it counts
    /// only for a rule that restricts.
    pub(crate) fn includes(self, tool: &str, effect: RuleEffect) -> bool {
        if effect == RuleEffect::Widen && tool.contains(SERVER_END) {
            return false;
        }
        TABLE.families_of_name(&plain_name(tool)).any(|family| family.kind == Some(self))
    }
}

/// A tool of a coding agent, as the table has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TabledTool {
    pub(crate) name: &'static str,
    pub(crate) kind: ToolKind,
    pub(crate) reach: Option<ToolReach>,
}

impl TabledTool {
    /// All tools of coding agents whose kind is known.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let of_family = |family: &'static ToolFamily| {
            let tools =
                move |kind| family.written.iter().map(move |name| Self { name, kind, reach: family.reach });
            family.kind.into_iter().flat_map(tools)
        };
        TABLE.families.iter().flat_map(of_family)
    }
}

/// Arguments without an effect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HarmlessArgument {
    keys: Vec<String>,
    #[serde(rename = "type")]
    kind: Option<ArgumentType>,
    #[serde(default)]
    only: Vec<toml::Value>,
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for the readers of the table"))]
    why: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ArgumentType {
    String,
    Number,
    Boolean,
    Place,
}

/// An argument beside call operands.
#[derive(Clone, Copy)]
pub(crate) struct BesideArgument<'a> {
    pub(crate) tool: &'a str,
    /// The kinds of operands that the rule looks at.
    pub(crate) kinds: &'a [OperandKind],
    /// The folder in which the call runs, if it says so.
    pub(crate) folder: Option<&'a str>,
    pub(crate) key: &'a str,
    pub(crate) value: &'a OrderedValue,
}

fn every_kind() -> Vec<OperandKind> {
    OperandKind::ALL.to_vec()
}

impl HarmlessTable {
    fn read(text: &str) -> Result<Self, toml::de::Error> {
        let mut table: Self = toml::from_str(text)?;
        for (at, family) in table.families.iter_mut().enumerate() {
            let plain: Vec<_> = family.tools.iter().map(|tool| plain_name(tool).into_owned()).collect();
            for name in &plain {
                let known = table.by_name.entry(name.clone()).or_default();
                if known.last() != Some(&at) {
                    known.push(at);
                }
            }
            family.written = std::mem::replace(&mut family.tools, plain);
        }
        Ok(table)
    }

    /// The families that list the tool of this plain name.
    fn families_of_name<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a ToolFamily> + use<'a> {
        self.by_name.get(name).into_iter().flatten().map(|at| &self.families[*at])
    }

    /// The families that list the tool of this plain name, or every tool.
    fn families_of_any<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a ToolFamily> + use<'a> {
        self.families_of_name(name).chain(self.families_of_name("*"))
    }

    /// The tool families that apply to a rule with operands of these kinds.
    fn families(&self, tool: &str, kinds: &[OperandKind]) -> impl Iterator<Item = &ToolFamily> {
        let is_beside = |family: &&ToolFamily| kinds.iter().all(|kind| family.beside.contains(kind));
        self.families_of_any(&plain_name(tool)).filter(is_beside)
    }
}

/// The tool name without its server, in the form that the table uses.
fn plain_name(tool: &str) -> Cow<'_, str> {
    let name = tool.rsplit_once(SERVER_END).map_or(tool, |(_, name)| name);
    if !name.contains(|c: char| matches!(c, '-' | '_') || c.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let plain = name.chars().filter(|c| !matches!(c, '-' | '_'));
    Cow::Owned(plain.map(|c| c.to_ascii_lowercase()).collect())
}

impl BesideArgument<'_> {
    /// Whether the table has the argument with this value.
    pub(crate) fn is_harmless(self) -> bool {
        let mut rows = TABLE.families(self.tool, self.kinds).flat_map(|family| &family.arguments);
        rows.any(|row| row.keys.iter().any(|key| key == self.key) && row.includes(self.value, self.folder))
    }
}

impl HarmlessArgument {
    fn includes(&self, value: &OrderedValue, folder: Option<&str>) -> bool {
        let has_type = match (self.kind, value) {
            (None, _)
            | (Some(ArgumentType::String), OrderedValue::Text(_))
            | (Some(ArgumentType::Number), OrderedValue::Number(_))
            | (Some(ArgumentType::Boolean), OrderedValue::Bool(_)) => true,
            (Some(ArgumentType::Place), OrderedValue::Text(named)) => is_same_folder(folder, named),
            _ => false,
        };
        has_type && (self.only.is_empty() || self.only.iter().any(|known| is_equal(known, value)))
    }
}

/// Whether both strings certainly name the same folder.
fn is_same_folder(folder: Option<&str>, named: &str) -> bool {
    let absolute =
        |text: &str| ParsedPath::parse(text).normal().filter(|path| path.starts_with('/')).map(str::to_owned);
    folder.and_then(absolute).is_some_and(|folder| absolute(named) == Some(folder))
}

fn is_equal(known: &toml::Value, value: &OrderedValue) -> bool {
    match (known, value) {
        (toml::Value::String(known), OrderedValue::Text(value)) => known == value,
        (toml::Value::Boolean(known), OrderedValue::Bool(value)) => known == value,
        (toml::Value::Array(known), OrderedValue::List(values)) => known.is_empty() && values.is_empty(),
        _ => false,
    }
}

/// Whether the tool certainly takes the brackets in a path as they are.
pub(crate) fn takes_literal_paths(tool: &str) -> bool {
    TABLE.literal_paths.iter().any(|known| known == tool)
}

/// The arguments that each call of the tool has and that have an effect, with the reason.
pub(crate) fn constant_effects(
    tool: &str,
    kinds: &[OperandKind],
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let effects = TABLE.families(tool, kinds).flat_map(|family| &family.effects);
    effects.map(|(key, why)| (key.as_str(), why.as_str()))
}

/// The arguments of a coding agent's tool that are only texts for people. An MCP server's tool may merely share the name of an
/// agent's tool, so it has none.
pub(crate) fn prose_keys(tool: &str) -> Option<&'static [String]> {
    if tool.contains(SERVER_END) {
        return None;
    }
    let mut families = TABLE.families_of_name(&plain_name(tool));
    families.find(|family| !family.prose.is_empty()).map(|family| &family.prose[..])
}

/// Whether all strings in the argument are words for people or a model, so that a name of a thing in them is no use of it. An MCP
/// server's tool has such arguments only by the rows for every tool.
pub(crate) fn has_only_words(tool: &str, key: &str) -> bool {
    let name = if tool.contains(SERVER_END) { Cow::Borrowed("") } else { plain_name(tool) };
    TABLE.families_of_any(&name).any(|family| family.words.iter().any(|known| known == key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_no_operand_and_no_empty_row() {
        for family in &TABLE.families {
            let has_rows =
                !family.arguments.is_empty() || !family.effects.is_empty() || !family.words.is_empty();
            assert!(has_rows && !family.tools.is_empty());
            for row in &family.arguments {
                assert!(!row.keys.is_empty() && !row.why.is_empty(), "{row:?}");
                for key in row.keys.iter().filter(|_| !matches!(row.kind, Some(ArgumentType::Place))) {
                    let pointer = format!("/{key}");
                    let is_operand = |kind: &OperandKind| kind.usual_pointers().contains(&pointer.as_str());
                    assert!(
                        !OperandKind::ALL.iter().any(is_operand),
                        "{key} is an operand, which a rule must match"
                    );
                }
            }
        }
    }

    #[test]
    fn words_for_people_are_harmless() {
        let families = TABLE.families.iter().filter(|family| !family.prose.is_empty());
        for family in families {
            assert!(
                matches!(family.kind, Some(ToolKind::Shell | ToolKind::Edit | ToolKind::Read)),
                "{family:?}"
            );
            for (tool, key) in
                family.tools.iter().flat_map(|tool| family.prose.iter().map(move |key| (tool, key)))
            {
                let value = OrderedValue::Text("words".to_owned());
                let beside = BesideArgument { tool, kinds: &[], folder: None, key, value: &value };
                assert!(beside.is_harmless(), "{tool} {key}");
            }
        }
    }

    #[test]
    fn names_of_tools_match_without_server_and_case() {
        for name in ["Bash", "bash", "mcp__local__bash", "run_shell_command", "run-shell-command"] {
            assert!(TABLE.families(name, &[OperandKind::Command]).count() > 1, "{name}");
        }
        assert_eq!(TABLE.families("mcp__bash__other", &[OperandKind::Command]).count(), 1);
    }
}
