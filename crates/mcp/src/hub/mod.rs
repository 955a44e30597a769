//! Several servers under one name space: towards the gateway, the hub is one server.
//!
//! Ids and tokens of the client pass unchanged, since each of its requests goes to one server; only that server may
//! answer. Ids and tokens of the servers get the server's name, because all servers count from the same number.

mod from_server;
mod greeting;
mod hub_core;
mod hub_frame;
mod lists;
mod merge;
mod names;
mod pending_requests;
mod resource_index;
mod routing;
mod run_hub;
mod server_link;
mod subscriptions;

pub use hub_core::HubOptions;
pub use hub_frame::{BadHubFrame, HubFrame, restore_id};
pub(crate) use hub_frame::{qualify_id, split_batch};
pub use names::{BadServerName, ServerName, listed_tool_name, split_listed_name};
pub use run_hub::{HubServer, run_hub};
