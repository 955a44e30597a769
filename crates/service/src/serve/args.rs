//! The options of `serve`.

use countersign_server::{ListenAddress, TrustedProxy, WebOrigin};
use std::path::PathBuf;

/// Options of `serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"listening\": the first address, \"addresses\": [all addresses], \"database\", \"rules\": how many, \"lostBlocks\": names of blocking rules that the policy file does not have}, one line as soon as the server listens"
)]
pub struct ServeArgs {
    /// The address to listen on: an IP address and a port (0 for a free port), or unix:PATH; repeatable
    /// [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Vec<ListenAddress>,
    /// Share the port with other servers that set this option
    #[arg(long)]
    pub(super) reuse_port: bool,
    /// The most connections [default: as many as the limit of open files allows]
    #[arg(long, value_name = "NUMBER")]
    pub(super) max_connections: Option<usize>,
    /// The seconds after which a slow client is disconnected, for one step: connect, head, body, idle or write;
    /// repeatable [default: connect=10, head=10, body=30, idle=120, write=30]
    #[arg(long = "timeout", value_name = "STEP=SECONDS")]
    pub(super) timeouts: Vec<String>,
    /// The most bytes of a request body, at most 4456448 [default: 1048576]
    #[arg(long, value_name = "BYTES")]
    pub(super) max_body: Option<usize>,
    /// What one caller may use: requests (per second), streams or waits; repeatable
    /// [default: requests=5000, streams=5000, waits=10000]
    #[arg(long = "caller-limit", value_name = "NAME=NUMBER")]
    pub(super) caller_limits: Vec<String>,
    /// Set by `up`: stay when the terminal closes, and read the start lock from stdin
    #[arg(long, hide = true)]
    pub(super) background: bool,
    #[command(flatten)]
    pub(super) network: NetworkArgs,
    #[command(flatten)]
    pub(super) identity: IdentityArgs,
    #[command(flatten)]
    pub(super) oidc: OidcArgs,
    #[command(flatten)]
    pub(super) checkpoints: CheckpointArgs,
    /// Start the programs that advisors of the policy name, as the server's user
    #[arg(long)]
    pub(super) advisor_commands: bool,
}

/// How a server is protected that other machines or web pages reach.
#[derive(Debug, clap::Args)]
pub(super) struct NetworkArgs {
    /// The TLS certificate (PEM, followed by those of its authorities): ports then speak HTTPS; read again when it
    /// changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(super) tls_certificate: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(super) tls_key: Option<PathBuf>,
    /// A proxy in front of the server, whose X-Forwarded-For, -Proto and -Host are believed: an IP address, a network
    /// such as 10.1.0.0/16, or unix; repeatable
    #[arg(long, value_name = "PROXY")]
    pub(super) behind_proxy: Vec<TrustedProxy>,
    /// The address by which clients reach the server, such as `https://approvals.example`; repeatable
    #[arg(long = "public-url", value_name = "URL")]
    pub(super) public_urls: Vec<WebOrigin>,
    /// An origin whose web pages may show pages of the server in a frame; repeatable
    #[arg(long, value_name = "ORIGIN")]
    pub(super) frame_by: Vec<WebOrigin>,
    /// An origin whose web pages may send requests and read responses; repeatable
    #[arg(long = "cors-origin", value_name = "ORIGIN")]
    pub(super) cors_origins: Vec<WebOrigin>,
}

/// Callers without a token.
#[derive(Debug, clap::Args)]
pub(super) struct IdentityArgs {
    /// Let callers without a token both propose and decide; every event and every surface shows it
    #[arg(long)]
    pub(super) solo: bool,
    /// The header in which a proxy of --behind-proxy names the caller: NAME, user:NAME or agent:NAME
    #[arg(id = "identity_header", long = "identity-header", value_name = "HEADER")]
    pub(super) header: Option<String>,
    /// A role for people whom the proxy names: approver, auditor or admin; repeatable [default: approver]
    #[arg(id = "identity_role", long = "identity-role", value_name = "ROLE")]
    pub(super) roles: Vec<countersign_events::Role>,
}

/// Signing in at an OpenID Connect provider.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct OidcArgs {
    /// The OpenID Connect provider at which people sign in, such as `https://login.example.com`; the client secret is in a
    /// file, or in `COUNTERSIGN_OIDC_CLIENT_SECRET`
    #[arg(id = "oidc_issuer", long = "oidc-issuer", value_name = "URL")]
    pub(super) issuer: Option<String>,
    /// The id of this server as a provider client
    #[arg(id = "oidc_client_id", long = "oidc-client-id", value_name = "ID")]
    pub(super) client_id: Option<String>,
    /// The client secret's file, which only its owner may read
    #[arg(id = "oidc_client_secret_file", long = "oidc-client-secret-file", value_name = "FILE")]
    pub(super) client_secret_file: Option<PathBuf>,
    /// The role for people whose claim has a value, such as approver=groups:security; repeatable, the first match
    /// applies; the value * is any
    #[arg(id = "oidc_role", long = "oidc-role", value_name = "ROLE=CLAIM:VALUE")]
    pub(super) roles: Vec<String>,
    /// An approver's level; repeatable, the first that holds counts
    #[arg(id = "oidc_level", long = "oidc-level", value_name = "LEVEL=CLAIM:VALUE")]
    pub(super) levels: Vec<String>,
    /// A group for approvers; repeatable, all matches apply
    #[arg(id = "oidc_group", long = "oidc-group", value_name = "GROUP=CLAIM:VALUE")]
    pub(super) groups: Vec<String>,
    /// The claim that names a person [default: email, which the provider must have verified]
    #[arg(id = "oidc_name_claim", long = "oidc-name-claim", value_name = "CLAIM")]
    pub(super) name_claim: Option<String>,
    /// A domain of verified e-mail addresses that may sign in; repeatable [default: any address, also none]
    #[arg(id = "oidc_email_domain", long = "oidc-email-domain", value_name = "DOMAIN")]
    pub(super) email_domains: Vec<String>,
    /// A scope to ask for, besides openid; repeatable [default: email, profile]
    #[arg(id = "oidc_scope", long = "oidc-scope", value_name = "SCOPE")]
    pub(super) scopes: Vec<String>,
    /// The provider name on the sign-in button [default: its host]
    #[arg(id = "oidc_label", long = "oidc-label", value_name = "TEXT")]
    pub(super) label: Option<String>,
}

/// Server checkpoints.
#[derive(Debug, clap::Args)]
pub(super) struct CheckpointArgs {
    /// Sign checkpoints with this key, from `countersign checkpoint key`: at the start, at an interval and at the end
    #[arg(id = "checkpoint_key", long = "checkpoint-key", value_name = "FILE")]
    pub(super) key: Option<PathBuf>,
    /// The checkpoints' folder; copy it off this machine
    #[arg(id = "checkpoint_to", long = "checkpoint-to", value_name = "FOLDER")]
    pub(super) folder: Option<PathBuf>,
    /// The interval, such as 10m, 1h or 1d [default: 1h]
    #[arg(id = "checkpoint_every", long = "checkpoint-every", value_name = "TIME")]
    pub(super) interval: Option<String>,
}
