//! The MCP gateway: a proxy between a client of the Model Context Protocol and a server that asks for approval of each
//! tool call, and passes every other frame unchanged.
//!
//! Countersign records each call: the gateway proposes it, waits for the decision, claims it, forwards it, and reports the
//! result. All state that decides about a call is in the log, so a gateway that was killed finds its calls again.

mod answer_text;
mod call_slot;
mod call_table;
mod client_config;
mod client_frame;
mod execution;
mod gated_call;
mod gateway;
mod gateway_core;
mod hub;
mod open_forms;
mod open_requests;
mod parked_call;
mod permission_prompt;
mod request_state;
mod round_parts;
mod server_form;
mod server_frame;
mod server_input;
mod server_places;
mod server_restart;
mod tool_catalog;
mod tool_metadata;
mod transport;
mod waiting;

pub use client_config::{
    BadClientConfig, ChangedConfig, ConfigSyntax, SkippedServer, unwrap_config, wrap_config,
};
pub use client_frame::{
    BadFrame, ClientCancellation, ClientFrame, MAX_BATCH, ToolCallFrame, read_client_frame,
    without_carriage_returns,
};
pub use gateway::{ClientReader, ClientWriter, GatewayStreams, run_gateway};
pub use gateway_core::GatewayOptions;
pub use hub::{
    BadHubFrame, BadServerName, HubFrame, HubOptions, HubServer, ServerName, listed_tool_name, restore_id,
    run_hub, split_listed_name,
};
pub use open_forms::ServerForm;
pub use permission_prompt::PermissionPrompt;
pub use round_parts::RoundParts;
pub use server_frame::{ServerFrame, read_server_frame};
pub use server_places::ServerPlaces;
pub use server_restart::{MAX_RESTARTS, ServerStarter, ServerStreams, keep_server_running};
pub use transport::{
    BadHttpTarget, BadServerConfig, BearerToken, ClientEndpoint, ClientSessionStreams, EndpointOptions,
    HttpServerStreams, HttpTarget, MAX_SERVER_CONFIG_BYTES, MissingVariable, ServerCommand, ServerEntry,
    ServerTarget, SessionStarter, StartingSession, client_router, connect_http_server, expand_variables,
    read_server_config, serve_endpoint,
};
