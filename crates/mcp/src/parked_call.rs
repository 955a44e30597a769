//! What the states stand for that the gateway gives to a client.

use countersign_api::held_claim::HeldClaim;

/// What a gateway state stands for.
pub(crate) enum StateMeaning {
    /// The call is pending. The number of rounds that the client has made for it.
    Decision(u32),
    /// The server runs the call, and has asked the client for input.
    ServerInput(Box<ParkedCall>),
}

/// A claimed call whose server waits for input of the client. The lease is renewed meanwhile.
pub(crate) struct ParkedCall {
    pub(crate) held: HeldClaim,
    /// The text for the model about changed arguments.
    pub(crate) note: Option<String>,
    /// The state that the server expects back.
    pub(crate) server_state: Option<String>,
}
