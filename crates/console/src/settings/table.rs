//! The settings table: their names in a file, in the environment and on the command line.

use super::keys::{SettingDefinition, SettingKey, SettingKind};

/// All settings, in the order of `config`.
pub const KEYS: &[SettingDefinition] = &[
    SettingDefinition {
        key: SettingKey::Database,
        name: "database",
        variable: "COUNTERSIGN_DATABASE",
        option: "--database",
        takes: SettingKind::Path,
        usual: "./countersign.db if it exists, otherwise one log per user",
        about: "The log: a path, sqlite://PATH or postgres://USER@HOST/DATABASE",
    },
    SettingDefinition {
        key: SettingKey::DatabaseFile,
        name: "database_file",
        variable: "COUNTERSIGN_DATABASE_FILE",
        option: "--database-file",
        takes: SettingKind::Path,
        usual: "",
        about: "A file that contains the address of the log, which may include a password",
    },
    SettingDefinition {
        key: SettingKey::Server,
        name: "server",
        variable: "COUNTERSIGN_SERVER",
        option: "--server",
        takes: SettingKind::Text,
        usual: "",
        about: "A server to use instead of a database: http://127.0.0.1:7878 or https://approvals.example",
    },
    SettingDefinition {
        key: SettingKey::TlsCa,
        name: "tls_ca",
        variable: "COUNTERSIGN_TLS_CA",
        option: "--tls-ca",
        takes: SettingKind::Path,
        usual: "",
        about: "The authorities to trust for an https:// server (PEM), instead of those of the system",
    },
    SettingDefinition {
        key: SettingKey::Policy,
        name: "policy",
        variable: "COUNTERSIGN_POLICY",
        option: "--policy",
        takes: SettingKind::Path,
        usual: "",
        about: "A policy file (TOML): serve applies it; other commands stop if it is not active",
    },
    SettingDefinition {
        key: SettingKey::As,
        name: "as",
        variable: "COUNTERSIGN_AS",
        option: "--as",
        takes: SettingKind::Text,
        usual: "your login name",
        about: "The principal: user:NAME or agent:NAME; `run` accepts user:NAME only from the option",
    },
    SettingDefinition {
        key: SettingKey::TokenFile,
        name: "token_file",
        variable: "COUNTERSIGN_TOKEN_FILE",
        option: "--token-file",
        takes: SettingKind::Path,
        usual: "",
        about: "A file that contains the token for a server; only its owner may read it",
    },
    SettingDefinition {
        key: SettingKey::Solo,
        name: "solo",
        variable: "COUNTERSIGN_SOLO",
        option: "serve --solo",
        takes: SettingKind::Switch,
        usual: "false",
        about: "Whether callers of `serve` without a credential may both propose and decide; every event shows it",
    },
    SettingDefinition {
        key: SettingKey::IdentityHeader,
        name: "identity_header",
        variable: "COUNTERSIGN_IDENTITY_HEADER",
        option: "serve --identity-header",
        takes: SettingKind::Text,
        usual: "",
        about: "The header in which a trusted proxy names the caller whom it has authenticated",
    },
    SettingDefinition {
        key: SettingKey::IdentityRoles,
        name: "identity_roles",
        variable: "COUNTERSIGN_IDENTITY_ROLES",
        option: "serve --identity-role",
        takes: SettingKind::Texts,
        usual: "approver",
        about: "The roles of the people whom a trusted proxy names: a list, separated by commas in the environment",
    },
    SettingDefinition {
        key: SettingKey::OidcIssuer,
        name: "oidc_issuer",
        variable: "COUNTERSIGN_OIDC_ISSUER",
        option: "serve --oidc-issuer",
        takes: SettingKind::Text,
        usual: "",
        about: "The address of the OpenID Connect provider at which people sign in to `serve`",
    },
    SettingDefinition {
        key: SettingKey::OidcClientId,
        name: "oidc_client_id",
        variable: "COUNTERSIGN_OIDC_CLIENT_ID",
        option: "serve --oidc-client-id",
        takes: SettingKind::Text,
        usual: "",
        about: "The id of this server as a client of the provider",
    },
    SettingDefinition {
        key: SettingKey::OidcClientSecretFile,
        name: "oidc_client_secret_file",
        variable: "COUNTERSIGN_OIDC_CLIENT_SECRET_FILE",
        option: "serve --oidc-client-secret-file",
        takes: SettingKind::Path,
        usual: "",
        about: "A file that contains the secret of the client; only its owner may read it",
    },
    SettingDefinition {
        key: SettingKey::OidcRoles,
        name: "oidc_roles",
        variable: "COUNTERSIGN_OIDC_ROLES",
        option: "serve --oidc-role",
        takes: SettingKind::Texts,
        usual: "",
        about: "The roles of people: a list of ROLE=CLAIM:VALUE, of which the first that holds counts",
    },
    SettingDefinition {
        key: SettingKey::OidcLevels,
        name: "oidc_levels",
        variable: "COUNTERSIGN_OIDC_LEVELS",
        option: "serve --oidc-level",
        takes: SettingKind::Texts,
        usual: "",
        about: "The levels of approvers: a list of LEVEL=CLAIM:VALUE, of which the first that holds counts",
    },
    SettingDefinition {
        key: SettingKey::OidcGroups,
        name: "oidc_groups",
        variable: "COUNTERSIGN_OIDC_GROUPS",
        option: "serve --oidc-group",
        takes: SettingKind::Texts,
        usual: "",
        about: "The groups of approvers: a list of GROUP=CLAIM:VALUE, of which all that hold count",
    },
    SettingDefinition {
        key: SettingKey::OidcNameClaim,
        name: "oidc_name_claim",
        variable: "COUNTERSIGN_OIDC_NAME_CLAIM",
        option: "serve --oidc-name-claim",
        takes: SettingKind::Text,
        usual: "email",
        about: "The claim that names a person",
    },
    SettingDefinition {
        key: SettingKey::OidcEmailDomains,
        name: "oidc_email_domains",
        variable: "COUNTERSIGN_OIDC_EMAIL_DOMAINS",
        option: "serve --oidc-email-domain",
        takes: SettingKind::Texts,
        usual: "",
        about: "The domains of the verified e-mail addresses that may sign in",
    },
    SettingDefinition {
        key: SettingKey::OidcScopes,
        name: "oidc_scopes",
        variable: "COUNTERSIGN_OIDC_SCOPES",
        option: "serve --oidc-scope",
        takes: SettingKind::Texts,
        usual: "email, profile",
        about: "The scopes to ask the provider for, besides openid",
    },
    SettingDefinition {
        key: SettingKey::OidcLabel,
        name: "oidc_label",
        variable: "COUNTERSIGN_OIDC_LABEL",
        option: "serve --oidc-label",
        takes: SettingKind::Text,
        usual: "the host of the provider",
        about: "The name of the provider on the button of the sign-in page",
    },
    SettingDefinition {
        key: SettingKey::Listen,
        name: "listen",
        variable: "COUNTERSIGN_LISTEN",
        option: "serve --listen",
        takes: SettingKind::Texts,
        usual: "127.0.0.1:7878",
        about: "The addresses of `serve`: a list, separated by commas in the environment",
    },
    SettingDefinition {
        key: SettingKey::ReusePort,
        name: "reuse_port",
        variable: "COUNTERSIGN_REUSE_PORT",
        option: "serve --reuse-port",
        takes: SettingKind::Switch,
        usual: "false",
        about: "Whether several `serve` processes share a port",
    },
    SettingDefinition {
        key: SettingKey::MaxConnections,
        name: "max_connections",
        variable: "COUNTERSIGN_MAX_CONNECTIONS",
        option: "serve --max-connections",
        takes: SettingKind::Number,
        usual: "",
        about: "The most connections of `serve`; without it, as many as the limit of open files allows",
    },
    SettingDefinition {
        key: SettingKey::Timeouts,
        name: "timeouts",
        variable: "COUNTERSIGN_TIMEOUTS",
        option: "serve --timeout",
        takes: SettingKind::Texts,
        usual: "connect=10, head=10, body=30, idle=120, write=30",
        about: "The seconds after which `serve` disconnects a slow client, for each step: a list, separated by commas in the environment",
    },
    SettingDefinition {
        key: SettingKey::MaxBody,
        name: "max_body",
        variable: "COUNTERSIGN_MAX_BODY",
        option: "serve --max-body",
        takes: SettingKind::Number,
        usual: "1048576",
        about: "The most bytes of a request body that `serve` accepts, at most 4456448",
    },
    SettingDefinition {
        key: SettingKey::CallerLimits,
        name: "caller_limits",
        variable: "COUNTERSIGN_CALLER_LIMITS",
        option: "serve --caller-limit",
        takes: SettingKind::Texts,
        usual: "requests=5000, streams=5000, waits=10000",
        about: "The requests per second, streams and waiting requests of one caller of `serve`: a list, separated by commas in the environment",
    },
    SettingDefinition {
        key: SettingKey::TlsCertificate,
        name: "tls_certificate",
        variable: "COUNTERSIGN_TLS_CERTIFICATE",
        option: "serve --tls-certificate",
        takes: SettingKind::Path,
        usual: "",
        about: "The TLS certificate of `serve` (PEM, followed by those of its authorities)",
    },
    SettingDefinition {
        key: SettingKey::TlsKey,
        name: "tls_key",
        variable: "COUNTERSIGN_TLS_KEY",
        option: "serve --tls-key",
        takes: SettingKind::Path,
        usual: "",
        about: "The private key of the TLS certificate (PEM)",
    },
    SettingDefinition {
        key: SettingKey::BehindProxy,
        name: "behind_proxy",
        variable: "COUNTERSIGN_BEHIND_PROXY",
        option: "serve --behind-proxy",
        takes: SettingKind::Texts,
        usual: "",
        about: "The proxies in front of `serve`, whose X-Forwarded-… headers it believes: addresses, networks or unix",
    },
    SettingDefinition {
        key: SettingKey::PublicUrls,
        name: "public_urls",
        variable: "COUNTERSIGN_PUBLIC_URLS",
        option: "serve --public-url",
        takes: SettingKind::Texts,
        usual: "",
        about: "The addresses by which clients reach `serve`, besides loopback names: https://approvals.example",
    },
    SettingDefinition {
        key: SettingKey::FrameBy,
        name: "frame_by",
        variable: "COUNTERSIGN_FRAME_BY",
        option: "serve --frame-by",
        takes: SettingKind::Texts,
        usual: "",
        about: "The origins whose web pages may show pages of `serve` in a frame",
    },
    SettingDefinition {
        key: SettingKey::CorsOrigins,
        name: "cors_origins",
        variable: "COUNTERSIGN_CORS_ORIGINS",
        option: "serve --cors-origin",
        takes: SettingKind::Texts,
        usual: "",
        about: "The origins whose web pages may send requests to `serve` and read the responses",
    },
    SettingDefinition {
        key: SettingKey::CheckpointKey,
        name: "checkpoint_key",
        variable: "COUNTERSIGN_CHECKPOINT_KEY",
        option: "serve --checkpoint-key",
        takes: SettingKind::Path,
        usual: "",
        about: "The key with which `serve` signs checkpoints, from `countersign checkpoint key`",
    },
    SettingDefinition {
        key: SettingKey::CheckpointTo,
        name: "checkpoint_to",
        variable: "COUNTERSIGN_CHECKPOINT_TO",
        option: "serve --checkpoint-to",
        takes: SettingKind::Path,
        usual: "",
        about: "The folder of the checkpoints that `serve` signs; copy it off the machine",
    },
    SettingDefinition {
        key: SettingKey::CheckpointEvery,
        name: "checkpoint_every",
        variable: "COUNTERSIGN_CHECKPOINT_EVERY",
        option: "serve --checkpoint-every",
        takes: SettingKind::Text,
        usual: "1h",
        about: "The interval of the checkpoints, such as 10m, 1h or 1d",
    },
    SettingDefinition {
        key: SettingKey::WebhookKey,
        name: "webhook_key",
        variable: "COUNTERSIGN_WEBHOOK_KEY",
        option: "",
        takes: SettingKind::Path,
        usual: "webhook.key",
        about: "The key that seals the addresses of webhooks; only its owner may read it; created in the data folder with the first webhook",
    },
    SettingDefinition {
        key: SettingKey::PushKey,
        name: "push_key",
        variable: "COUNTERSIGN_PUSH_KEY",
        option: "",
        takes: SettingKind::Path,
        usual: "push.key",
        about: "The key pair that identifies the server to push services; only its owner may read it; created in the data folder with the first device",
    },
    SettingDefinition {
        key: SettingKey::PushPrivate,
        name: "push_private",
        variable: "COUNTERSIGN_PUSH_PRIVATE",
        option: "",
        takes: SettingKind::Switch,
        usual: "false",
        about: "Whether push services of devices may have private addresses, as an own push service or a test has",
    },
    SettingDefinition {
        key: SettingKey::AdvisorCommands,
        name: "advisor_commands",
        variable: "COUNTERSIGN_ADVISOR_COMMANDS",
        option: "serve --advisor-commands",
        takes: SettingKind::Switch,
        usual: "false",
        about: "Whether `serve` may start the programs that advisors of the policy name",
    },
    SettingDefinition {
        key: SettingKey::Log,
        name: "log",
        variable: "COUNTERSIGN_LOG",
        option: "--log",
        takes: SettingKind::Text,
        usual: "error",
        about: "The log level (default of `serve`: info): error, warn, info, debug, or a filter such as warn,countersign_server=debug",
    },
    SettingDefinition {
        key: SettingKey::LogFormat,
        name: "log_format",
        variable: "COUNTERSIGN_LOG_FORMAT",
        option: "--log-format",
        takes: SettingKind::Word(&["human", "json"]),
        usual: "human",
        about: "The format of log lines on stderr: human, or json for one object per line",
    },
    SettingDefinition {
        key: SettingKey::Otlp,
        name: "otlp",
        variable: "COUNTERSIGN_OTLP",
        option: "--otlp",
        takes: SettingKind::Text,
        usual: "",
        about: "The collector for traces, by OTLP over HTTP: http://127.0.0.1:4318",
    },
    SettingDefinition {
        key: SettingKey::Bell,
        name: "bell",
        variable: "COUNTERSIGN_BELL",
        option: "watch --no-bell",
        takes: SettingKind::Switch,
        usual: "true",
        about: "Whether `watch` rings the terminal bell when a call arrives",
    },
    SettingDefinition {
        key: SettingKey::Colour,
        name: "colour",
        variable: "COUNTERSIGN_COLOUR",
        option: "--colour",
        takes: SettingKind::Word(&["auto", "always", "never"]),
        usual: "auto",
        about: "Colours: auto (on a terminal), always or never",
    },
];

impl SettingKey {
    /// The definition of this key.
    #[must_use]
    pub fn definition(self) -> &'static SettingDefinition {
        // A test checks that every key is in the table, so the default is never used.
        KEYS.iter().find(|facts| facts.key == self).unwrap_or(&KEYS[0])
    }
}

/// Suggests a key for an unknown name, or lists all keys.
#[must_use]
pub(crate) fn suggest_key(name: &str) -> String {
    let nearest = KEYS.iter().map(|facts| (edit_distance(name, facts.name), facts.name)).min();
    match nearest {
        Some((steps, meant)) if steps <= 1 + meant.len() / 3 => format!("did you mean `{meant}`?"),
        _ => {
            let names: Vec<_> = KEYS.iter().map(|facts| facts.name).collect();
            format!("the settings are {}", names.join(", "))
        }
    }
}

/// The edit distance of two words, without regard to case.
#[must_use]
pub fn edit_distance(word: &str, known: &str) -> usize {
    strsim::levenshtein(&word.to_ascii_lowercase(), known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_the_table() {
        for facts in KEYS {
            assert_eq!(facts.key.definition().name, facts.name);
        }
    }

    #[test]
    fn suggest_key_finds_the_nearest_name() {
        assert_eq!(suggest_key("polcy"), "did you mean `policy`?");
        assert_eq!(suggest_key("Databases"), "did you mean `database`?");
        assert_eq!(suggest_key("log-format"), "did you mean `log_format`?");
        assert!(suggest_key("colors").contains("colour"));
        assert!(suggest_key("frequency").starts_with("the settings are database, "));
    }
}
