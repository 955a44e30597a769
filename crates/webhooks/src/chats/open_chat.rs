//! A chat app that is ready for use: its platform, its address and its button signer.

use crate::chats::{
    button_value::ButtonSigner, card_builder::CardBuilder, chat_address::ChatAddress, chat_card::ChatCard,
    chat_platform::ChatPlatform,
};
use countersign_api as api;
use countersign_gate::ChatOffer;

/// The chat app of one webhook.
pub(crate) struct OpenChat {
    pub(crate) platform: &'static dyn ChatPlatform,
    pub(crate) address: ChatAddress,
    pub(crate) signer: ButtonSigner,
    /// The server address in links.
    pub(crate) base: String,
    /// Whether messages have the arguments.
    pub(crate) has_arguments: bool,
}

impl OpenChat {
    /// The card of a call as it is.
    pub(crate) fn card(&self, call: &api::Call, offer: ChatOffer) -> ChatCard {
        let builder = CardBuilder {
            platform: self.platform,
            signer: &self.signer,
            base: &self.base,
            has_arguments: self.has_arguments,
        };
        builder.build(call, offer)
    }
}
