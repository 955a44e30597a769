//! The settings: their keys, and where a file may set them.

/// A setting key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingKey {
    /// `database`
    Database,
    /// `database_file`
    DatabaseFile,
    /// `server`
    Server,
    /// `tls_ca`
    TlsCa,
    /// `policy`
    Policy,
    /// `as`
    As,
    /// `token_file`
    TokenFile,
    /// `solo`
    Solo,
    /// `identity_header`
    IdentityHeader,
    /// `identity_roles`
    IdentityRoles,
    /// `oidc_issuer`
    OidcIssuer,
    /// `oidc_client_id`
    OidcClientId,
    /// `oidc_client_secret_file`
    OidcClientSecretFile,
    /// `oidc_roles`
    OidcRoles,
    /// `oidc_levels`
    OidcLevels,
    /// `oidc_groups`
    OidcGroups,
    /// `oidc_name_claim`
    OidcNameClaim,
    /// `oidc_email_domains`
    OidcEmailDomains,
    /// `oidc_scopes`
    OidcScopes,
    /// `oidc_label`
    OidcLabel,
    /// `listen`
    Listen,
    /// `reuse_port`
    ReusePort,
    /// `max_connections`
    MaxConnections,
    /// `timeouts`
    Timeouts,
    /// `max_body`
    MaxBody,
    /// `caller_limits`
    CallerLimits,
    /// `tls_certificate`
    TlsCertificate,
    /// `tls_key`
    TlsKey,
    /// `behind_proxy`
    BehindProxy,
    /// `public_urls`
    PublicUrls,
    /// `frame_by`
    FrameBy,
    /// `cors_origins`
    CorsOrigins,
    /// `checkpoint_key`
    CheckpointKey,
    /// `checkpoint_to`
    CheckpointTo,
    /// `checkpoint_every`
    CheckpointEvery,
    /// `webhook_key`
    WebhookKey,
    /// `push_key`
    PushKey,
    /// `push_private`
    PushPrivate,
    /// `advisor_commands`
    AdvisorCommands,
    /// `log`
    Log,
    /// `log_format`
    LogFormat,
    /// `otlp`
    Otlp,
    /// `bell`
    Bell,
    /// `colour`
    Colour,
}

/// The value kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// A path, in a file relative to the folder of that file.
    Path,
    /// A string.
    Text,
    /// A list of strings, or a single one.
    Texts,
    /// True or false.
    Switch,
    /// A whole number, at least 1.
    Number,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A setting definition.
#[derive(Debug)]
pub struct SettingDefinition {
    /// The key.
    pub key: SettingKey,
    /// Its name in a file.
    pub name: &'static str,
    /// Its variable in the environment.
    pub variable: &'static str,
    /// Its option on the command line.
    pub option: &'static str,
    /// The kind of its value.
    pub takes: SettingKind,
    /// The default, in words.
    pub usual: &'static str,
    /// The purpose.
    pub about: &'static str,
}

/// The keys that name a log.
pub const LOG_KEYS: [SettingKey; 3] = [SettingKey::Database, SettingKey::DatabaseFile, SettingKey::Server];

impl SettingKey {
    /// Returns true if this setting decides what is allowed, who decides, or where data goes. The current folder's file
    /// cannot set it, because the folder may come from someone else, such as a cloned repository.
    #[must_use]
    pub const fn needs_explicit_source(self) -> bool {
        matches!(
            self,
            Self::Policy
                | Self::Server
                | Self::TlsCa
                | Self::Database
                | Self::DatabaseFile
                | Self::As
                | Self::TlsCertificate
                | Self::TlsKey
                | Self::WebhookKey
                | Self::PushKey
                | Self::PushPrivate
                | Self::AdvisorCommands
                | Self::BehindProxy
                | Self::PublicUrls
                | Self::FrameBy
                | Self::CorsOrigins
                | Self::CheckpointKey
                | Self::CheckpointTo
                | Self::TokenFile
                | Self::Solo
                | Self::IdentityHeader
                | Self::IdentityRoles
                | Self::OidcIssuer
                | Self::OidcClientId
                | Self::OidcClientSecretFile
                | Self::OidcRoles
                | Self::OidcLevels
                | Self::OidcGroups
                | Self::OidcNameClaim
                | Self::OidcEmailDomains
                | Self::OidcScopes
                | Self::OidcLabel
                | Self::Otlp
        )
    }
}
