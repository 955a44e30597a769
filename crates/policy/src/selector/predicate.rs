//! Predicates on one argument.

use crate::value::OrderedValue;
use countersign_events::json::ExactDecimal;
use countersign_patterns::Glob;
use regex::Regex;
use std::fmt;

/// What must hold of an argument.
#[derive(Debug, Clone)]
pub(crate) enum ArgumentPredicate {
    /// It is that value.
    Eq(OrderedValue),
    /// It is one of those.
    In(Vec<OrderedValue>),
    /// The whole string matches.
    Glob(Glob),
    /// The string begins so.
    Prefix(String),
    /// The string holds a match.
    Regex(Regex),
    /// The number is smaller.
    Lt(ExactDecimal),
    /// The number is larger.
    Gt(ExactDecimal),
    /// It is there, or not.
    Exists(bool),
    /// Its size: characters of a string, elements of a list, keys of an object.
    Size(Vec<ArgumentPredicate>),
}

impl ArgumentPredicate {
    /// Whether it holds of a value, or why nobody can say.
    pub(crate) fn holds(&self, value: &OrderedValue) -> Result<bool, String> {
        let text = || value.text().ok_or_else(|| format!("it is {}, not a string", value.kind()));
        match self {
            Self::Eq(wanted) if !wanted.is_like(value) => {
                Err(format!("it is {}, not {}", value.kind(), wanted.kind()))
            }
            Self::Eq(wanted) => Ok(wanted.same(value)),
            Self::In(wanted) => match wanted.iter().find(|wanted| wanted.is_like(value)) {
                Some(_) => Ok(wanted.iter().any(|wanted| wanted.same(value))),
                None => Err(format!("it is {}, as none of the listed values is", value.kind())),
            },
            Self::Glob(glob) => Ok(glob.is_match(text()?)),
            Self::Prefix(prefix) => Ok(text()?.starts_with(prefix)),
            Self::Regex(regex) => Ok(regex.is_match(text()?)),
            Self::Lt(bound) => Ok(number(value)? < bound),
            Self::Gt(bound) => Ok(number(value)? > bound),
            Self::Exists(wanted) => Ok(*wanted),
            Self::Size(predicates) => {
                let size = OrderedValue::Number(ExactDecimal::from_count(size(value)?));
                predicates.iter().try_fold(true, |so_far, predicate| Ok(so_far && predicate.holds(&size)?))
            }
        }
    }
}

fn number(value: &OrderedValue) -> Result<&ExactDecimal, String> {
    match value {
        OrderedValue::Number(number) => Ok(number),
        _ => Err(format!("it is {}, not a number", value.kind())),
    }
}

fn size(value: &OrderedValue) -> Result<usize, String> {
    match value {
        OrderedValue::Text(text) => Ok(text.chars().count()),
        OrderedValue::List(values) => Ok(values.len()),
        OrderedValue::Map(members) => Ok(members.len()),
        _ => Err(format!("it is {}, which has no size", value.kind())),
    }
}

/// Why no value could ever satisfy all of them, if that can be seen.
pub(crate) fn contradiction(predicates: &[ArgumentPredicate]) -> Option<String> {
    let fails = |value: &OrderedValue| predicates.iter().find(|predicate| predicate.holds(value) != Ok(true));
    for predicate in predicates {
        match predicate {
            ArgumentPredicate::Exists(false) if predicates.len() > 1 => {
                return Some("what does not exist can satisfy nothing else".to_owned());
            }
            ArgumentPredicate::Eq(value) => {
                let other = fails(value)?;
                return Some(format!("{predicate} and {other} exclude each other"));
            }
            ArgumentPredicate::In(values) if values.iter().all(|value| fails(value).is_some()) => {
                return Some(format!("no value of {predicate} satisfies the rest"));
            }
            ArgumentPredicate::Size(inner) => {
                if let Some(why) = contradiction(inner) {
                    return Some(why);
                }
            }
            _ => {}
        }
    }
    let low = predicates
        .iter()
        .filter_map(|p| if let ArgumentPredicate::Gt(low) = p { Some(low) } else { None })
        .max();
    let high = predicates
        .iter()
        .filter_map(|p| if let ArgumentPredicate::Lt(high) = p { Some(high) } else { None })
        .min();
    match (low, high) {
        (Some(low), Some(high)) if low >= high => Some(format!("nothing is over {low} and under {high}")),
        _ => None,
    }
}

impl fmt::Display for ArgumentPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Eq(value) => write!(f, "= {}", value.render()),
            Self::In(values) => {
                let values: Vec<_> = values.iter().map(OrderedValue::render).collect();
                write!(f, "in [{}]", values.join(", "))
            }
            Self::Glob(glob) => write!(f, "like `{}`", glob.as_str()),
            Self::Prefix(prefix) => write!(f, "beginning with `{prefix}`"),
            Self::Regex(regex) => write!(f, "matching /{}/", regex.as_str()),
            Self::Lt(bound) => write!(f, "< {bound}"),
            Self::Gt(bound) => write!(f, "> {bound}"),
            Self::Exists(true) => f.write_str("present"),
            Self::Exists(false) => f.write_str("absent"),
            Self::Size(predicates) => {
                let inner: Vec<_> = predicates.iter().map(ToString::to_string).collect();
                write!(f, "of size {}", inner.join(" and "))
            }
        }
    }
}
