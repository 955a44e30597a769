//! Call content that may mislead a reader: it contains hidden characters, words with mixed scripts, or blanks that push a part out
//! of sight.

use countersign_api::Call;
use countersign_events::{
    Json, Place,
    look::{has_hidden_character, has_mixed_word, has_padding},
};
use serde_json::Value;

/// The most locations that a call lists of each kind.
const MAX_PLACES: usize = 20;

/// Adds the locations of misleading strings to a call.
pub(super) fn mark_misleading_texts(call: &mut Call) {
    let mut found = MisleadingPlaces::default();
    found.look_at_json("/arguments", Some(&call.arguments));
    found.look_at_text("/description", call.description.as_deref());
    for (field, text) in call.place.iter().flat_map(Place::fields) {
        found.look_at_text(&format!("/place/{field}"), Some(text));
    }
    found.look_at_json("/impact", call.impact.as_ref());
    found.look_at_json("/annotations", call.annotations.as_ref());
    let definition = call.definition.as_ref().and_then(|definition| definition.description.as_deref());
    found.look_at_text("/definition/description", definition);
    (call.hidden_characters, call.mixed_scripts) = (found.hidden, found.mixed);
    call.padded = found.padded;
}

/// Locations, as JSON pointers into the call.
#[derive(Default)]
struct MisleadingPlaces {
    hidden: Vec<String>,
    mixed: Vec<String>,
    padded: Vec<String>,
}

impl MisleadingPlaces {
    fn look_at_text(&mut self, place: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        if has_hidden_character(text) {
            add_place(&mut self.hidden, place);
        }
        if has_mixed_word(text) {
            add_place(&mut self.mixed, place);
        }
        if has_padding(text) {
            add_place(&mut self.padded, place);
        }
    }

    fn look_at_json(&mut self, place: &str, json: Option<&Json>) {
        let Some(json) = json else { return };
        let text = json.as_str();
        // Nothing can be hidden in plain ASCII without escaped control characters and without a run of blanks.
        let hides = ["\\u", "\\b", "\\f", "\\t\\t", "\\n", "        "];
        if text.is_ascii() && !hides.iter().any(|part| text.contains(part)) {
            return;
        }
        match json.read() {
            Ok(value) => self.look_at_value(place, &value),
            // The parser has a lower depth limit than the log.
            Err(_) => self.look_at_text(place, Some(text)),
        }
    }

    fn look_at_value(&mut self, place: &str, value: &Value) {
        match value {
            Value::String(text) => self.look_at_text(place, Some(text)),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.look_at_value(&format!("{place}/{index}"), item);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    let place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                    self.look_at_text(&place, Some(key));
                    self.look_at_value(&place, member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Adds a location once: a member's key and its value have the same one.
fn add_place(places: &mut Vec<String>, place: &str) {
    if places.len() < MAX_PLACES && places.last().is_none_or(|last| last != place) {
        places.push(place.to_owned());
    }
}
