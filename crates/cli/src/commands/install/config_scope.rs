//! Where a configuration is.

/// Where a configuration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigScope {
    /// The home folder: every project of this user.
    User,
    /// The current folder: every user of this project.
    Project,
}
