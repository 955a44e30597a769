//! What a server learns from chat platforms and answers them.

use crate::chats::chat_call::ChatCall;
use countersign_api as api;
use countersign_events::SecretValue;
use countersign_gate::ChatOffer;
use serde_json::Value;

/// A request of a platform whose sender is proven.
#[derive(Debug)]
pub(crate) enum ChatRequest {
    /// The platform checks the address. The answer is 200 with this body, and nothing else happens.
    Handshake(Value),
    /// A person clicked a button that decides.
    Click(Box<ChatClick>),
    /// There is nothing to do. The answer is 200 with an empty object.
    Ignored,
}

/// A person's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClickChoice {
    /// Allow this call.
    Allow,
    /// Allow this call and the later ones that it stands for, for an hour.
    AllowHour,
    /// Deny this call.
    Deny,
}

/// A click on a button of a message that this server wrote. The button's value is proven: its MAC covers the log, the
/// webhook, the choice, the request and the text that the message had. Whether the call still has this text,
/// [`HttpWebhooks::check_click`](crate::HttpWebhooks::check_click) says.
#[derive(Debug, Clone)]
pub(crate) struct ChatClick {
    /// Who clicked.
    pub(crate) account: ChatAccount,
    /// The button.
    pub(crate) choice: ClickChoice,
    /// The `seq` of the approval request. Its event names the thread and the call.
    pub(crate) seq: i64,
    /// A keyed hash of the arguments and the text that the message had.
    pub(crate) seen: String,
    /// The clicked message, as its platform names it.
    pub(crate) message: String,
    /// The visible text of the clicked message, if the platform sends it back.
    pub(crate) shown: Option<String>,
    /// The label of the button in the clicked message, if the platform sends it back.
    pub(crate) label: Option<String>,
    /// Where answers for the person alone go: an address of Slack, or the query of Telegram.
    pub(crate) answer_to: Option<SecretValue<String>>,
}

/// An account on a chat platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChatAccount {
    /// The platform and the id there, with the workspace if ids are unique only in it: `slack:T123/U456`, `telegram:42`,
    /// `discord:80351110224678912`, `mattermost:chat.example.com/4xp9fdt77pncbef59f4k1qe83o`. It never changes.
    pub(crate) id: String,
    /// The name that the platform shows, for people. It may change, and somebody else may take it.
    pub(crate) name: String,
}

/// Why a request or a click is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatRefusal {
    /// The signature, the secret or the button's value is not from the platform or this server.
    #[error("the request is not signed by the platform, or the button is not from this server")]
    Forged,
    /// The signature is too old, so the request may be a replay.
    #[error("the request is older than five minutes, or the clocks differ by more")]
    Old,
    /// The request is too large.
    #[error("the request is too large")]
    TooLarge,
    /// The request is signed, but has not the form that the platform documents.
    #[error("the request has not the documented form")]
    Malformed,
    /// The webhook cannot be used, or is none of a chat app.
    #[error("the webhook cannot be used: {0}")]
    Unusable(String),
    /// The call has another text now than the message showed.
    #[error("the message shows an older text of the call; look at it again, or open the call")]
    Stale,
    /// Somebody changed the message.
    #[error("the message was changed after it was sent; open the call")]
    Edited,
    /// The call waits for no decision.
    #[error("the call is not pending any more")]
    Closed,
    /// The rules do not permit this choice in a chat.
    #[error("this decision cannot be made in a chat; open the call")]
    NotOffered,
}

/// What a person learns after a click.
#[derive(Debug, Clone)]
pub(crate) enum ChatAnswer<'a> {
    /// The message shows the call as it is now. If there is a note, the person alone reads it: why the click decided nothing.
    State {
        /// The call now.
        call: &'a api::Call,
        /// The buttons that the rules permit now.
        offer: ChatOffer,
        /// The note.
        note: Option<String>,
    },
    /// The message stays as it is, and the person alone reads why.
    Refused(String),
    /// The account belongs to no person yet. The person alone gets the address that links it.
    Link {
        /// The address.
        url: String,
    },
}

/// The answer to a platform's request, with the status 200, and what is sent after it.
#[derive(Debug)]
pub(crate) struct ChatReply {
    /// The JSON body.
    pub(crate) body: Value,
    /// Requests to send after the answer.
    pub(crate) follow_ups: ChatFollowUps,
}

/// Requests to a platform that follow an answer. They are sent once: the delivery changes the message anyway.
#[derive(Debug, Default)]
pub(crate) struct ChatFollowUps(pub(crate) Vec<ChatCall>);

impl ChatFollowUps {
    /// Returns true if there are none.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
