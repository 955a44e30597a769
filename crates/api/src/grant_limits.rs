//! Reading the limits of a remembered decision: a number outside its range is refused before anything else is looked at, as the document
//! says.

use countersign_events::GrantLimits;
use serde::{Deserialize, Deserializer, de};

/// Reads `expiresInSeconds`.
pub(crate) fn read_grant_seconds<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    read_up_to(
        deserializer,
        GrantLimits::MAX_SECONDS,
        "expiresInSeconds: give 1 second to 30 days (2,592,000), or leave it out",
    )
}

/// Reads `uses`.
pub(crate) fn read_uses<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    read_up_to(deserializer, GrantLimits::MAX_USES, "uses: give 1 to 1,000 calls, or leave it out")
}

/// A whole number may be written as `60.0`: the schema's `integer` permits it.
fn read_up_to<'de, D: Deserializer<'de>>(
    deserializer: D,
    most: u32,
    why: &'static str,
) -> Result<Option<u32>, D::Error> {
    let Some(number) = Option::<f64>::deserialize(deserializer)? else { return Ok(None) };
    if number.fract() != 0.0 || !(1.0..=f64::from(most)).contains(&number) {
        return Err(de::Error::custom(why));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole and in the range"
    )]
    Ok(Some(number as u32))
}

#[cfg(test)]
mod tests {
    use crate::ProlongRequest;

    #[test]
    fn limits_are_whole_numbers_in_their_range() {
        let read = |text: &str| serde_json::from_str::<ProlongRequest>(text).ok().map(|request| request.uses);
        assert_eq!(read("{}"), Some(None));
        assert_eq!(read(r#"{"uses":null}"#), Some(None));
        for (text, uses) in [("1", 1), ("1000", 1_000), ("3.0", 3), ("3e2", 300)] {
            assert_eq!(read(&format!(r#"{{"uses":{text}}}"#)), Some(Some(uses)), "{text}");
        }
        for text in ["0", "1001", "-1", "1.5", "\"3\"", "1e300"] {
            assert_eq!(read(&format!(r#"{{"uses":{text}}}"#)), None, "{text}");
        }
    }
}
