//! The forms of configurations.

/// How a configuration holds hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigFormat {
    /// JSON, with `hooks.EVENT`.
    Json(JsonEntries),
    /// TOML, with `[[hooks.EVENT]]` and `[[hooks.EVENT.hooks]]`.
    Toml,
}

/// How a configuration in JSON holds hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonEntries {
    /// Whether hooks are in groups, `hooks.EVENT[].hooks[]`; otherwise they are `hooks.EVENT[]`, beside `version`.
    pub is_grouped: bool,
    /// The number of units of a time-out in a second.
    pub units_per_second: u64,
}

impl JsonEntries {
    /// Groups, with time-outs in seconds.
    pub const GROUPED: Self = Self { is_grouped: true, units_per_second: 1 };
    /// No groups, with time-outs in seconds.
    pub const FLAT: Self = Self { is_grouped: false, ..Self::GROUPED };
}
