//! Chat apps, whose messages change with their calls and may have buttons that decide: Slack, Telegram, Discord and Mattermost.
//! This module reads and writes what each platform documents. It sends nothing and reads no clock.

pub(crate) mod button_value;
pub(crate) mod card_builder;
pub(crate) mod chat_address;
pub(crate) mod chat_call;
pub(crate) mod chat_card;
pub(crate) mod chat_platform;
pub(crate) mod chat_types;
mod discord;
mod json_lines;
mod mattermost;
pub(crate) mod open_chat;
mod slack;
mod telegram;

use chat_platform::ChatPlatform;
use countersign_events::WebhookFormat;

/// The platform of a format; `None` if the format is none of a chat app.
pub(crate) fn platform_of(format: WebhookFormat) -> Option<&'static dyn ChatPlatform> {
    match format {
        WebhookFormat::SlackApp => Some(&slack::SlackPlatform),
        WebhookFormat::Telegram => Some(&telegram::TelegramPlatform),
        WebhookFormat::DiscordApp => Some(&discord::DiscordPlatform),
        WebhookFormat::Mattermost => Some(&mattermost::MattermostPlatform),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
