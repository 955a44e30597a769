//! The words that make the name of a key sensitive, and their exceptions.

/// Words that make a name sensitive at any position.
pub(super) const SECRET_WORDS: &[&str] = &[
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

/// Parts of a name that make it sensitive, even inside other words.
pub(super) const SECRET_PARTS: &[&str] =
    &["password", "passwd", "passphrase", "passcode", "credential", "apikey"];

/// Words that make a name sensitive only at its end: `db_pass`, but not `pass_rate`.
pub(super) const SECRET_LAST_WORDS: &[&str] = &["pass", "pin", "pincode"];

/// Last words of names for a property of a secret, such as its file or its length.
pub(super) const PROPERTY_WORDS: &[&str] = &[
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

/// Words before `key` in names of keys that grant no access: `primary_key`.
pub(super) const HARMLESS_BEFORE_KEY: &[&str] = &[
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

/// Words after `key` in names that grant no access: `key_code`.
pub(super) const HARMLESS_AFTER_KEY: &[&str] = &[
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

/// Words before `keys` that make the name sensitive. `keys` alone usually means the keys of an object.
pub(super) const SECRET_BEFORE_KEYS: &[&str] = &[
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

/// Words that end in `key` and grant no access: English words, and compounds such as `primarykey`.
pub(super) const HARMLESS_KEY_WORDS: &[&str] = &[
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

/// Words that, next to `token`, mean a number of tokens.
pub(super) const COUNT_WORDS: &[&str] =
    &["max", "min", "num", "number", "n", "total", "used", "count", "limit", "budget", "per"];
