//! The ways to reach a server, and to be reached by clients: each turns its messages into the gateway's frames.

mod client_endpoint;
mod client_session;
mod endpoint_options;
mod frame_post;
mod http_answer;
mod http_client;
mod http_exchange;
mod http_session;
mod http_target;
mod param_headers;
mod server_config;
mod variables;

pub use client_endpoint::{ClientEndpoint, client_router, serve_endpoint};
pub use endpoint_options::{
    BearerToken, ClientSessionStreams, EndpointOptions, SessionStarter, StartingSession,
};
pub use http_client::{HttpServerStreams, connect_http_server};
pub use http_target::{BadHttpTarget, HttpTarget};
pub use server_config::{
    BadServerConfig, MAX_SERVER_CONFIG_BYTES, ServerCommand, ServerEntry, ServerTarget, read_server_config,
};
pub use variables::{MissingVariable, expand_variables};
