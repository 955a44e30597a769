//! Reading the limits of a remembered decision: a number outside its range is refused before anything else is looked at, as the document
//! says.

use serde::{Deserialize, Deserializer, de};

/// The longest time, in seconds: 30 days.
const MAX_SECONDS: u32 = 30 * 24 * 60 * 60;

/// The largest number of calls.
const MAX_USES: u32 = 1_000;

/// Reads `expiresInSeconds`.
pub(crate) fn read_grant_seconds<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    read_up_to(
        deserializer,
        MAX_SECONDS,
        "expiresInSeconds: give 1 second to 30 days (2,592,000), or leave it out",
    )
}

/// Reads `uses`.
pub(crate) fn read_uses<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    read_up_to(deserializer, MAX_USES, "uses: give 1 to 1,000 calls, or leave it out")
}

fn read_up_to<'de, D: Deserializer<'de>>(
    deserializer: D,
    most: u32,
    why: &'static str,
) -> Result<Option<u32>, D::Error> {
    let number = Option::<u32>::deserialize(deserializer)?;
    match number {
        Some(number) if !(1..=most).contains(&number) => Err(de::Error::custom(why)),
        number => Ok(number),
    }
}
