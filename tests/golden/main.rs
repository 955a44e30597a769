//! The promise of `docs/compatibility.md`: a log that a released version has written opens in every later version, verifies
//! there, and continues.
//!
//! `recipe` is the story that such a log tells.

mod press;
mod recipe;
