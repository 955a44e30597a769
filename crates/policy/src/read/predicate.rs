//! Reads rule predicates on call arguments.

use super::node::{PolicyFault, TomlEntry, TomlItem, TomlNode};
use crate::{
    selector::{ArgumentPredicate, find_contradiction},
    spelling::{did_you_mean, last_line},
    value::{JsonPointer, OrderedValue},
};
use countersign_patterns::Glob;
use regex::RegexBuilder;

/// The memory limit for a compiled regular expression, in bytes.
const REGEX_LIMIT: usize = 1024 * 1024;

/// Reads the predicates of `args`, by argument.
pub(super) fn read_arguments(
    node: &TomlNode,
) -> Result<Vec<(JsonPointer, Vec<ArgumentPredicate>)>, PolicyFault> {
    let argument = |entry: &TomlEntry| {
        let pointer = JsonPointer::read(&entry.key).map_err(|why| PolicyFault { at: entry.at, why })?;
        Ok((pointer, read_predicates(&entry.value)?))
    };
    match node.keys("args")?.entries() {
        [] => Err(node.fault("`args` is empty; add an argument, or remove it")),
        entries => entries.iter().map(argument).collect(),
    }
}

/// Reads the predicates on one argument: a table of predicates, or the value that it must equal.
fn read_predicates(node: &TomlNode) -> Result<Vec<ArgumentPredicate>, PolicyFault> {
    let TomlItem::Table(entries) = &node.item else {
        return Ok(vec![ArgumentPredicate::Eq(node.to_value()?)]);
    };
    let predicates: Vec<_> = entries.iter().map(read_predicate).collect::<Result<_, _>>()?;
    if predicates.is_empty() {
        return Err(
            node.fault("the argument has no predicate; write `exists = true` to require that it exists")
        );
    }
    match find_contradiction(&predicates) {
        Some(why) => Err(node.fault(format!("this can never match: {why}"))),
        None => Ok(predicates),
    }
}

fn read_predicate(entry: &TomlEntry) -> Result<ArgumentPredicate, PolicyFault> {
    let node = &entry.value;
    let known = ["eq", "in", "glob", "prefix", "regex", "lt", "gt", "exists", "optional", "size"];
    Ok(match entry.key.as_str() {
        "eq" => ArgumentPredicate::Eq(node.to_value()?),
        "in" => match &node.item {
            TomlItem::List(_) => ArgumentPredicate::In(
                node.one_or_more("values")?.iter().map(TomlNode::to_value).collect::<Result<_, _>>()?,
            ),
            _ => return Err(node.fault("`in` must be a list of values")),
        },
        "glob" => {
            ArgumentPredicate::Glob(Glob::new(node.text("glob")?).map_err(|e| node.fault(e.to_string()))?)
        }
        "prefix" => ArgumentPredicate::Prefix(node.text("prefix")?.to_owned()),
        "regex" => {
            let regex = RegexBuilder::new(node.text("regex")?).size_limit(REGEX_LIMIT).build();
            ArgumentPredicate::Regex(
                regex.map_err(|e| node.fault(format!("the regex is invalid: {}", last_line(&e))))?,
            )
        }
        "lt" => ArgumentPredicate::Lt(node.number("lt")?),
        "gt" => ArgumentPredicate::Gt(node.number("gt")?),
        "exists" => ArgumentPredicate::Exists(node.flag("exists")?),
        "optional" if node.flag("optional")? => ArgumentPredicate::Optional,
        "optional" => {
            return Err(node.fault("`optional` is true or absent; remove it to require the argument"));
        }
        "size" => ArgumentPredicate::Size(read_size(node)?),
        other => {
            let why = format!("unknown predicate `{other}`{}", did_you_mean(other, &known));
            return Err(PolicyFault { at: entry.at, why });
        }
    })
}

fn read_size(node: &TomlNode) -> Result<Vec<ArgumentPredicate>, PolicyFault> {
    if let TomlItem::Plain(OrderedValue::Number(_)) = &node.item {
        return Ok(vec![ArgumentPredicate::Eq(node.to_value()?)]);
    }
    if !matches!(node.item, TomlItem::Table(_)) {
        return Err(node.fault(format!(
            "`size` must be a number, or a table of `eq`, `lt` and `gt`, not {}",
            node.kind()
        )));
    }
    let mut keys = node.keys("size")?;
    let (eq, lt, gt) = (keys.optional("eq"), keys.optional("lt"), keys.optional("gt"));
    keys.reject_unknown()?;
    let mut predicates = Vec::new();
    if let Some(node) = eq {
        predicates.push(ArgumentPredicate::Eq(OrderedValue::Number(node.number("eq")?)));
    }
    if let Some(node) = lt {
        predicates.push(ArgumentPredicate::Lt(node.number("lt")?));
    }
    if let Some(node) = gt {
        predicates.push(ArgumentPredicate::Gt(node.number("gt")?));
    }
    if predicates.is_empty() {
        return Err(node.fault("`size` is empty; add `eq`, `lt` or `gt`"));
    }
    Ok(predicates)
}
