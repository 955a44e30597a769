//! Predicates on one argument.

use crate::value::OrderedValue;
use countersign_events::json::ExactDecimal;
use countersign_patterns::Glob;
use regex::Regex;
use std::fmt;

/// A predicate on one argument.
#[derive(Debug, Clone)]
pub(crate) enum ArgumentPredicate {
    /// The value is equal.
    Eq(OrderedValue),
    /// The value is equal to one of these.
    In(Vec<OrderedValue>),
    /// The whole string matches.
    Glob(Glob),
    /// The string starts with this prefix.
    Prefix(String),
    /// Some part of the string matches.
    Regex(Regex),
    /// The number is smaller.
    Lt(ExactDecimal),
    /// The number is larger.
    Gt(ExactDecimal),
    /// The argument exists, or does not exist.
    Exists(bool),
    /// The argument may be absent. If it is present, the other predicates apply.
    Optional,
    /// The size: the number of characters in a string, elements in a list or keys in an object.
    Size(Vec<ArgumentPredicate>),
}

impl ArgumentPredicate {
    /// Returns true if the value satisfies the predicate, or an error if the two cannot be compared.
    pub(crate) fn is_satisfied_by(&self, value: &OrderedValue) -> Result<bool, String> {
        let text = || value.text().ok_or_else(|| format!("it is {}, not a string", value.kind()));
        match self {
            Self::Eq(expected) if !expected.is_same_type(value) => {
                Err(format!("it is {}, not {}", value.kind(), expected.kind()))
            }
            Self::Eq(expected) => Ok(expected.is_equal(value)),
            Self::In(expected) => match expected.iter().find(|expected| expected.is_same_type(value)) {
                Some(_) => Ok(expected.iter().any(|expected| expected.is_equal(value))),
                None => Err(format!("it is {}, and no listed value has that type", value.kind())),
            },
            Self::Glob(glob) => Ok(glob.is_match(text()?)),
            Self::Prefix(prefix) => Ok(text()?.starts_with(prefix)),
            Self::Regex(regex) => Ok(regex.is_match(text()?)),
            Self::Lt(bound) => Ok(number(value)? < bound),
            Self::Gt(bound) => Ok(number(value)? > bound),
            Self::Exists(expected) => Ok(*expected),
            Self::Optional => Ok(true),
            Self::Size(predicates) => {
                let size = OrderedValue::Number(ExactDecimal::from_count(size(value)?));
                predicates
                    .iter()
                    .try_fold(true, |so_far, predicate| Ok(so_far && predicate.is_satisfied_by(&size)?))
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

/// The reason why no value can satisfy all predicates, if there is one.
pub(crate) fn find_contradiction(predicates: &[ArgumentPredicate]) -> Option<String> {
    let fails = |value: &OrderedValue| {
        predicates.iter().find(|predicate| predicate.is_satisfied_by(value) != Ok(true))
    };
    for predicate in predicates {
        match predicate {
            ArgumentPredicate::Exists(false) if predicates.len() > 1 => {
                return Some("`exists = false` excludes every other predicate".to_owned());
            }
            ArgumentPredicate::Eq(value) => {
                let other = fails(value)?;
                return Some(format!("{predicate} and {other} exclude each other"));
            }
            ArgumentPredicate::In(values) if values.iter().all(|value| fails(value).is_some()) => {
                return Some(format!("no value of {predicate} satisfies the other predicates"));
            }
            ArgumentPredicate::Size(inner) => {
                if let Some(why) = find_contradiction(inner) {
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
        (Some(low), Some(high)) if low >= high => {
            Some(format!("no number is greater than {low} and less than {high}"))
        }
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
            Self::Optional => f.write_str("optional"),
            Self::Size(predicates) => {
                let inner: Vec<_> = predicates.iter().map(ToString::to_string).collect();
                write!(f, "of size {}", inner.join(" and "))
            }
        }
    }
}
