//! The settings: their keys, and where a file may set them.

/// The key of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SettingKey {
    Database,
    DatabaseFile,
    Server,
    TlsCa,
    Policy,
    As,
    TokenFile,
    Solo,
    IdentityHeader,
    IdentityRoles,
    OidcIssuer,
    OidcClientId,
    OidcClientSecretFile,
    OidcRoles,
    OidcLevels,
    OidcGroups,
    OidcNameClaim,
    OidcEmailDomains,
    OidcScopes,
    OidcLabel,
    Listen,
    ReusePort,
    MaxConnections,
    Timeouts,
    MaxBody,
    CallerLimits,
    TlsCertificate,
    TlsKey,
    BehindProxy,
    PublicUrls,
    FrameBy,
    CorsOrigins,
    CheckpointKey,
    CheckpointTo,
    CheckpointEvery,
    WebhookKey,
    AdvisorCommands,
    Log,
    LogFormat,
    Otlp,
    Bell,
    Colour,
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingKind {
    /// A path, in a file relative to the folder of that file.
    Path,
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

/// The definition of a setting.
#[derive(Debug)]
pub(crate) struct SettingDefinition {
    pub(crate) key: SettingKey,
    /// Its name in a file.
    pub(crate) name: &'static str,
    /// Its variable in the environment.
    pub(crate) variable: &'static str,
    /// Its option on the command line.
    pub(crate) option: &'static str,
    pub(crate) takes: SettingKind,
    /// The default, in words.
    pub(crate) usual: &'static str,
    /// The purpose.
    pub(crate) about: &'static str,
}

/// The keys that name a log.
pub(crate) const LOG_KEYS: [SettingKey; 3] =
    [SettingKey::Database, SettingKey::DatabaseFile, SettingKey::Server];

impl SettingKey {
    /// True if the setting decides what is allowed, who decides, or where data goes. The file of the current folder
    /// cannot set it, because the folder may come from someone else, such as a cloned repository.
    pub(crate) const fn needs_explicit_source(self) -> bool {
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
