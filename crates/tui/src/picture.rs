//! The inbox's picture: text and its meaning, without colours or positions.

use crate::{document::DocumentRow, inbox::state::StatusTone};
use countersign_events::RiskLevel;

/// What a piece of text means, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextInk {
    Plain,
    Strong,
    Faint,
    Urgent,
    Risk(RiskLevel),
    Said(StatusTone),
}

/// A line part.
pub(crate) type TextPart = (TextInk, String);

/// The content that does not depend on the calls.
pub(crate) struct InboxHints {
    /// The log's location; empty if it is not shown.
    pub(crate) log: String,
    /// The command that reaches the same log.
    pub(crate) command_prefix: String,
}

/// A call in the list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListItem {
    pub(crate) shown: bool,
    pub(crate) title: String,
    /// The most telling argument.
    pub(crate) argument: String,
    pub(crate) risk: Option<RiskLevel>,
    /// The thread, the age and the remaining time, or the decision of another person.
    pub(crate) about: String,
    /// The remaining time, or the age.
    pub(crate) when: String,
}

/// The list of calls.
#[derive(Debug)]
pub(crate) enum ListPane {
    /// At the call's left, in so many columns, with the recent decisions.
    Beside { columns: usize, items: Vec<ListItem>, recent: Vec<String> },
    /// Above the call, a few lines.
    Above(Vec<ListItem>),
}

/// Everything that one frame shows.
#[derive(Debug)]
pub(crate) struct InboxPicture {
    pub(crate) top: (String, String),
    pub(crate) list: Option<ListPane>,
    pub(crate) heading: Vec<Vec<TextPart>>,
    pub(crate) heading_right: String,
    pub(crate) body: PictureBody,
    pub(crate) position: String,
    pub(crate) bottom: Vec<Vec<TextPart>>,
    /// The line and column of the cursor in `bottom`, while the person types.
    pub(crate) cursor: Option<(usize, usize)>,
    pub(crate) keys: Vec<String>,
    /// Whether the keys have no effect now and are drawn faint.
    pub(crate) keys_faint: bool,
}

/// The part between the heading and the status lines.
#[derive(Debug)]
pub(crate) enum PictureBody {
    Rows(Vec<DocumentRow>),
    Centred(Vec<TextPart>),
}

/// The risk as words, so that it needs no colour.
pub(crate) fn risk_word(risk: RiskLevel) -> &'static str {
    match risk {
        RiskLevel::Low => "LOW RISK",
        RiskLevel::Medium => "MEDIUM RISK",
        RiskLevel::High => "HIGH RISK",
        RiskLevel::Critical => "CRITICAL RISK",
        RiskLevel::Other => "UNKNOWN RISK",
    }
}
