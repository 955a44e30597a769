//! Variables of the environment in configurations, so that secrets need not be in files or on command lines.

/// A value names a variable that is not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {0:?} is not set; set it, or write ${{{0}:-DEFAULT}}")]
pub struct MissingVariable(pub String);

/// Replaces `${NAME}` and `${NAME:-default}` by the values that `look_up` returns. A `$` without a brace is kept.
pub fn expand_variables(
    text: &str,
    look_up: &dyn Fn(&str) -> Option<String>,
) -> Result<String, MissingVariable> {
    let (mut expanded, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((expression, after)) = after.split_once('}') else { break };
        let (name, default) = match expression.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (expression, None),
        };
        let value = look_up(name).filter(|value| !value.is_empty() || default.is_none());
        let value = value.or_else(|| default.map(str::to_owned));
        expanded.push_str(before);
        expanded.push_str(&value.ok_or_else(|| MissingVariable(name.to_owned()))?);
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_once() {
        let look_up = |name: &str| match name {
            "A" => Some("${B}".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        for (text, expected) in [
            ("x", "x"),
            ("$A ${A}!", "$A ${B}!"),
            ("${B:-d}${EMPTY:-e}${EMPTY}", "de"),
            ("${A", "${A"),
            ("", ""),
        ] {
            assert_eq!(expand_variables(text, &look_up).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(expand_variables("${B}", &look_up), Err(MissingVariable("B".to_owned())));
    }
}
