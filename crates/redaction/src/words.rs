//! The words that make the name of a key a secret's, and those that do not.

/// Whole words that are secrets wherever they stand in a name.
pub(super) const WORDS: &[&str] = &[
    "passin",
    "passout",
    "pwd",
    "psw",
    "pw",
    "creds",
    "cred",
    "cookie",
    "cookies",
    "bearer",
    "otp",
    "totp",
    "jwt",
    "sessionid",
    "sessid",
    "jsessionid",
    "phpsessid",
];

/// Parts of words that are secrets in whatever word they stand.
pub(super) const PARTS: &[&str] = &["password", "passwd", "passphrase", "passcode", "credential", "apikey"];

/// Words that are secrets only as the last of a name: `db_pass`, but not `pass_rate`.
pub(super) const LAST: &[&str] = &["pass", "pin", "pincode"];

/// A name that ends so speaks about a secret and does not hold it.
pub(super) const ABOUT: &[&str] = &[
    "file",
    "filename",
    "path",
    "dir",
    "directory",
    "type",
    "count",
    "limit",
    "limits",
    "budget",
    "length",
    "size",
    "name",
    "url",
    "uri",
    "endpoint",
    "method",
    "policy",
    "expires",
    "expiry",
    "expiration",
    "ttl",
    "algorithm",
    "alg",
    "usage",
    "stdin",
    "required",
    "enabled",
    "strength",
];

/// What stands before `key` where it unlocks nothing.
pub(super) const OTHER_KEYS: &[&str] = &[
    "primary",
    "foreign",
    "public",
    "partition",
    "sort",
    "range",
    "row",
    "cache",
    "idempotency",
    "routing",
    "group",
    "unique",
    "composite",
    "natural",
    "surrogate",
    "lookup",
    "translation",
    "issue",
    "project",
    "parent",
    "object",
    "dict",
    "map",
    "press",
    "hot",
    "shortcut",
    "answer",
];

/// What stands after `key` where it unlocks nothing.
pub(super) const AFTER_KEY: &[&str] = &[
    "press",
    "presses",
    "pressed",
    "code",
    "codes",
    "down",
    "up",
    "event",
    "events",
    "point",
    "points",
    "binding",
    "bindings",
    "board",
    "frame",
    "frames",
    "word",
    "words",
    "phrase",
    "result",
    "results",
    "finding",
    "findings",
    "takeaway",
    "takeaways",
    "insight",
    "insights",
    "feature",
    "features",
    "metric",
    "metrics",
    "vault",
    "space",
];

/// What stands before `keys` where they unlock something; `keys` alone are names.
pub(super) const REAL_KEYS: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "ssh",
    "auth",
    "encryption",
    "signing",
    "service",
    "account",
    "master",
];

/// Words of English that end in `key`, and names that are one word and unlock nothing.
pub(super) const NO_KEYS: &[&str] = &[
    "monkey",
    "donkey",
    "turkey",
    "whiskey",
    "hockey",
    "jockey",
    "lackey",
    "mickey",
    "flunkey",
    "turnkey",
    "hotkey",
    "shortkey",
    "dickey",
    "crikey",
    "primarykey",
    "foreignkey",
    "publickey",
    "sortkey",
    "partitionkey",
    "cachekey",
    "hashkey",
    "rowkey",
];

/// Beside `token`, what says that tokens are counted.
pub(super) const COUNTS: &[&str] =
    &["max", "min", "num", "number", "n", "total", "used", "count", "limit", "budget", "per"];
