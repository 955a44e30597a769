//! The keywords of strings.

use crate::{
    UnusableSchema,
    validator::{Application, Checked, Validator, ViolationList},
};
use serde_json::Value;

impl<'s> Validator<'s> {
    pub(crate) fn check_text(
        &mut self,
        on: Application<'s, '_>,
        text: &str,
        violations: &mut ViolationList,
    ) -> Checked {
        let (shortest, longest) = (on.size_keyword("minLength")?, on.size_keyword("maxLength")?);
        if shortest.is_some() || longest.is_some() {
            self.budget.take_for_text(text)?;
            let length = text.chars().count();
            if let Some(shortest) = shortest.filter(|shortest| length < *shortest) {
                violations.add(on.place, || format!("{} is shorter than {shortest} characters", on.value));
            }
            if let Some(longest) = longest.filter(|longest| length > *longest) {
                violations.add(on.place, || format!("{} is longer than {longest} characters", on.value));
            }
        }
        match on.keyword("pattern") {
            None => Ok(()),
            Some(Value::String(pattern)) => {
                if !self.matches_pattern(pattern, text)? {
                    violations.add(on.place, || format!("{} does not match {pattern:?}", on.value));
                }
                Ok(())
            }
            Some(_) => Err(UnusableSchema::InvalidKeyword { keyword: "pattern", expected: "a string" }),
        }
    }
}
