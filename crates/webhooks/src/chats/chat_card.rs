//! What a chat message about a call shows, before the rules of its platform apply.

use crate::chats::chat_types::ClickChoice;

/// The content of a message about a call. Each text but the arguments is on one line and has no hidden characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChatCard {
    pub(crate) title: String,
    pub(crate) facts: Vec<(&'static str, String)>,
    /// The whole arguments on several lines, or none.
    pub(crate) arguments: Option<String>,
    /// Why no button decides.
    pub(crate) notice: Option<&'static str>,
    /// The buttons that decide.
    pub(crate) buttons: Vec<ChatButton>,
    /// The call page.
    pub(crate) link: String,
}

/// A button that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChatButton {
    pub(crate) choice: ClickChoice,
    pub(crate) value: String,
}

/// The label of the button with the link.
pub(crate) const LINK_LABEL: &str = "Open the call";

impl ClickChoice {
    /// The label of the button.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Allow => "Allow",
            Self::AllowHour => "Allow for 1 hour",
            Self::Deny => "Deny",
        }
    }
}

impl ChatCard {
    /// The facts, each on a line.
    pub(crate) fn fact_lines(&self) -> Vec<String> {
        self.facts.iter().map(|(label, text)| format!("{label}: {text}")).collect()
    }

    /// All of it in lines. A click proves which of them were seen.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![self.title.clone()];
        lines.extend(self.fact_lines());
        lines.extend(self.arguments.clone());
        lines.extend(self.notice.map(str::to_owned));
        lines.join("\n")
    }
}
