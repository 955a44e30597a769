//! The comparison of two schemas. In an answer, a newer server may write more but not less; in a request, it must accept
//! at least what it accepted before.

use super::{
    rules::{BrokenPromise, GrowthRule},
    shape::{SchemaShape, schema_name},
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Who writes a value of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SchemaUse {
    Request,
    Answer,
}

pub(super) struct SchemaComparer<'a> {
    before: &'a Value,
    now: &'a Value,
    /// The pairs of shared schemas that are compared already. Schemas contain themselves.
    compared: BTreeSet<(&'a str, &'a str, SchemaUse)>,
    pub(super) broken: Vec<BrokenPromise>,
}

impl<'a> SchemaComparer<'a> {
    pub(super) fn new(before: &'a Value, now: &'a Value) -> Self {
        Self { before, now, compared: BTreeSet::new(), broken: Vec::new() }
    }

    pub(super) fn report(&mut self, rule: GrowthRule, place: &str, change: impl Into<String>) {
        self.broken.push(BrokenPromise { rule, place: place.to_owned(), change: change.into() });
    }

    /// Compares the earlier schema with today's one. `place` names it unless it is a shared schema.
    pub(super) fn compare(&mut self, before: &'a Value, now: &'a Value, place: &str, direction: SchemaUse) {
        let old = SchemaShape::read(self.before, before);
        let new = SchemaShape::read(self.now, now);
        // A use may permit `null` or not, so types are compared at each use.
        self.compare_types(&old, &new, place, direction);
        self.compare_defaults(&old, &new, place, direction);
        let names = (schema_name(before), schema_name(now));
        if let (Some(old_name), Some(new_name)) = names
            && !self.compared.insert((old_name, new_name, direction))
        {
            return;
        }
        let place = match names.0 {
            Some(name) if direction == SchemaUse::Request => format!("{name} in requests"),
            Some(name) => format!("{name} in answers"),
            None => place.to_owned(),
        };
        self.compare_words(&old, &new, &place, direction);
        self.compare_members(&old, &new, &place, direction);
        self.compare_inner(&old, &new, &place, direction);
        if direction == SchemaUse::Request {
            self.compare_limits(&old, &new, &place);
        }
    }

    fn compare_types(&mut self, old: &SchemaShape, new: &SchemaShape, place: &str, direction: SchemaUse) {
        let (rule, gone) = match direction {
            SchemaUse::Request => (GrowthRule::RequestTypeStays, uncovered(&old.types, &new.types)),
            SchemaUse::Answer => (GrowthRule::AnswerTypeStays, uncovered(&new.types, &old.types)),
        };
        if let Some(uncovered) = gone {
            let change = match direction {
                SchemaUse::Request => format!("{uncovered} is no longer accepted"),
                SchemaUse::Answer => format!("the value may now be {uncovered}"),
            };
            self.report(rule, place, change);
        }
        // A server may read any text where it wanted a certain one, and write a certain one where it wrote any.
        let narrow = match direction {
            SchemaUse::Request => new.format,
            SchemaUse::Answer => old.format,
        };
        if narrow.is_some() && old.format != new.format {
            let name = |format: Option<&str>| format.unwrap_or("none").to_owned();
            self.report(rule, place, format!("the format {} became {}", name(old.format), name(new.format)));
        }
    }

    fn compare_defaults(&mut self, old: &SchemaShape, new: &SchemaShape, place: &str, direction: SchemaUse) {
        if let (SchemaUse::Request, Some(before)) = (direction, old.default)
            && new.default != old.default
        {
            let now = new.default.map_or("none".to_owned(), Value::to_string);
            self.report(GrowthRule::DefaultStays, place, format!("the default {before} became {now}"));
        }
    }

    fn compare_words(&mut self, old: &SchemaShape, new: &SchemaShape, place: &str, direction: SchemaUse) {
        let rule = match direction {
            SchemaUse::Request => GrowthRule::RequestWordStays,
            SchemaUse::Answer => GrowthRule::AnswerWordStays,
        };
        match (&old.words, &new.words) {
            (Some(before), Some(now)) => {
                for word in before.difference(now) {
                    self.report(rule, place, format!("the word {word} vanished"));
                }
            }
            (Some(_), None) if direction == SchemaUse::Answer => {
                self.report(rule, place, "its words vanished");
            }
            (None, Some(_)) if direction == SchemaUse::Request => {
                self.report(rule, place, "only certain words are accepted now");
            }
            _ => {}
        }
    }

    fn compare_members(
        &mut self,
        old: &SchemaShape<'a>,
        new: &SchemaShape<'a>,
        place: &str,
        direction: SchemaUse,
    ) {
        let (gone, changed) = match direction {
            SchemaUse::Request => (GrowthRule::RequestMemberStays, new.required.difference(&old.required)),
            SchemaUse::Answer => (GrowthRule::AnswerMemberStays, old.required.difference(&new.required)),
        };
        for name in changed {
            match direction {
                SchemaUse::Request => {
                    self.report(GrowthRule::RequestNeedsNoMore, place, format!("`{name}` became required"));
                }
                SchemaUse::Answer if new.members.contains_key(name) => {
                    self.report(gone, place, format!("`{name}` became optional"));
                }
                SchemaUse::Answer => {}
            }
        }
        for (name, before) in &old.members {
            match new.members.get(name) {
                Some(now) => self.compare(before, now, &format!("`{name}` of {place}"), direction),
                // An open object still accepts the member, but nothing reads it any more.
                None => self.report(gone, place, format!("the member `{name}` vanished")),
            }
        }
        if direction == SchemaUse::Request && new.is_closed && !old.is_closed {
            self.report(gone, place, "members without a name in the schema are refused now");
        }
    }

    fn compare_inner(
        &mut self,
        old: &SchemaShape<'a>,
        new: &SchemaShape<'a>,
        place: &str,
        direction: SchemaUse,
    ) {
        for (keyword, before) in &old.inner {
            match new.inner.get(keyword) {
                Some(now) => self.compare(before, now, &format!("{keyword} of {place}"), direction),
                None if direction == SchemaUse::Answer => {
                    self.report(GrowthRule::AnswerTypeStays, place, format!("`{keyword}` vanished"));
                }
                None => {}
            }
        }
        for keyword in new.inner.keys().filter(|keyword| !old.inner.contains_key(*keyword)) {
            if direction == SchemaUse::Request && !old.is_closed {
                self.report(GrowthRule::RequestTypeStays, place, format!("`{keyword}` is restricted now"));
            }
        }
        for (name, before) in &old.variants {
            match (new.variants.get(name), direction) {
                (Some(now), _) => {
                    self.compare(before, now, &format!("alternative {name} of {place}"), direction);
                }
                (None, SchemaUse::Request) => {
                    self.report(
                        GrowthRule::RequestTypeStays,
                        place,
                        format!("the alternative {name} vanished"),
                    );
                }
                (None, SchemaUse::Answer) => {
                    self.report(
                        GrowthRule::AnswerTypeStays,
                        place,
                        format!("the alternative {name} vanished"),
                    );
                }
            }
        }
        for name in new.variants.keys().filter(|name| !old.variants.contains_key(*name)) {
            if direction == SchemaUse::Answer {
                let change = format!("the value may now be the alternative {name}");
                self.report(GrowthRule::AnswerTypeStays, place, change);
            }
        }
    }

    fn compare_limits(&mut self, old: &SchemaShape, new: &SchemaShape, place: &str) {
        let stricter_upper = stricter(&old.upper_limits, &new.upper_limits, |before, now| now < before);
        let stricter_lower = stricter(&old.lower_limits, &new.lower_limits, |before, now| now > before);
        for change in stricter_upper.into_iter().chain(stricter_lower) {
            self.report(GrowthRule::LimitDoesNotShrink, place, change);
        }
        if new.pattern.is_some() && old.pattern != new.pattern {
            let change = "the pattern is another one, which may refuse what was accepted";
            self.report(GrowthRule::LimitDoesNotShrink, place, change);
        }
    }
}

/// The first type of `written` that a reader of `read` does not expect. No types mean any type.
fn uncovered(written: &BTreeSet<&str>, read: &BTreeSet<&str>) -> Option<String> {
    if read.is_empty() {
        return None;
    }
    if written.is_empty() {
        return Some("any type".to_owned());
    }
    let expected = |name: &str| read.contains(name) || name == "integer" && read.contains("number");
    written.iter().find(|name| !expected(name)).map(|name| format!("`{name}`"))
}

fn stricter(
    before: &BTreeMap<&'static str, f64>,
    now: &BTreeMap<&'static str, f64>,
    is_stricter: fn(f64, f64) -> bool,
) -> Vec<String> {
    let describe = |(keyword, limit): (&&'static str, &f64)| match before.get(keyword) {
        Some(old) if is_stricter(*old, *limit) => Some(format!("`{keyword}` {old} became {limit}")),
        Some(_) => None,
        None => Some(format!("`{keyword}` {limit} is new")),
    };
    now.iter().filter_map(describe).collect()
}
