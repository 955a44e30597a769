//! Lines of JSON-RPC 2.0, as a proxy reads them: one limit, each member byte for byte, and one rule about the keys that
//! parsers confuse.

mod json_object;
mod line_reader;

pub use json_object::{AmbiguousKey, FRAME_KEYS, JsonObject, range_of, splice, splice_all};
pub use line_reader::{LineRead, MAX_FRAME_BYTES, read_line};
