//! What can be set, each thing once: its names in a file, in the environment and on the command line.

/// Something that can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Database,
    DatabaseFile,
    Server,
    Policy,
    As,
    Listen,
    ReusePort,
    Log,
    LogFormat,
    Otlp,
    Bell,
    Colour,
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// A path. In a file it counts from the folder of that file.
    Path,
    Text,
    /// Texts, or a single one.
    Texts,
    /// Yes or no.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// What there is to know about a key.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) key: Key,
    /// Its name in a file.
    pub(crate) name: &'static str,
    /// Its variable in the environment.
    pub(crate) variable: &'static str,
    /// Its option on the command line.
    pub(crate) option: &'static str,
    pub(crate) takes: Takes,
    /// What holds if nothing is said, in words.
    pub(crate) usual: &'static str,
    /// What it is for.
    pub(crate) about: &'static str,
}

/// All of them, in the order in which they are shown.
pub(crate) const KEYS: &[Facts] = &[
    Facts {
        key: Key::Database,
        name: "database",
        variable: "COUNTERSIGN_DATABASE",
        option: "--database",
        takes: Takes::Path,
        usual: "countersign.db",
        about: "The log: a path, sqlite://PATH or postgres://USER@HOST/DATABASE",
    },
    Facts {
        key: Key::DatabaseFile,
        name: "database_file",
        variable: "COUNTERSIGN_DATABASE_FILE",
        option: "--database-file",
        takes: Takes::Path,
        usual: "",
        about: "A file that holds the address of the log, so that a password in it stands nowhere else",
    },
    Facts {
        key: Key::Server,
        name: "server",
        variable: "COUNTERSIGN_SERVER",
        option: "--server",
        takes: Takes::Text,
        usual: "",
        about: "A server to speak to instead of a database: http://127.0.0.1:7878",
    },
    Facts {
        key: Key::Policy,
        name: "policy",
        variable: "COUNTERSIGN_POLICY",
        option: "--policy",
        takes: Takes::Path,
        usual: "",
        about: "The policy, a TOML file; without one task tools are free and the rest is asked",
    },
    Facts {
        key: Key::As,
        name: "as",
        variable: "COUNTERSIGN_AS",
        option: "--as",
        takes: Takes::Text,
        usual: "your login name",
        about: "Who is asking: user:NAME or agent:NAME; `run` takes a user:NAME from the option alone",
    },
    Facts {
        key: Key::Listen,
        name: "listen",
        variable: "COUNTERSIGN_LISTEN",
        option: "serve --listen",
        takes: Takes::Texts,
        usual: "127.0.0.1:7878",
        about: "Where `serve` listens; several in a list, in the environment with commas between",
    },
    Facts {
        key: Key::ReusePort,
        name: "reuse_port",
        variable: "COUNTERSIGN_REUSE_PORT",
        option: "serve --reuse-port",
        takes: Takes::Switch,
        usual: "false",
        about: "Whether several `serve` may share a port",
    },
    Facts {
        key: Key::Log,
        name: "log",
        variable: "COUNTERSIGN_LOG",
        option: "--log",
        takes: Takes::Text,
        usual: "error",
        about: "What is logged (by `serve` usually info): error, warn, info or debug, or a filter such as warn,countersign_server=debug",
    },
    Facts {
        key: Key::LogFormat,
        name: "log_format",
        variable: "COUNTERSIGN_LOG_FORMAT",
        option: "--log-format",
        takes: Takes::Word(&["human", "json"]),
        usual: "human",
        about: "How it is written to stderr: human, or json for one object a line",
    },
    Facts {
        key: Key::Otlp,
        name: "otlp",
        variable: "COUNTERSIGN_OTLP",
        option: "--otlp",
        takes: Takes::Text,
        usual: "",
        about: "A collector that traces are sent to by OTLP over HTTP: http://127.0.0.1:4318",
    },
    Facts {
        key: Key::Bell,
        name: "bell",
        variable: "COUNTERSIGN_BELL",
        option: "watch --no-bell",
        takes: Takes::Switch,
        usual: "true",
        about: "Whether `watch` rings when something new waits",
    },
    Facts {
        key: Key::Colour,
        name: "colour",
        variable: "COUNTERSIGN_COLOUR",
        option: "--colour",
        takes: Takes::Word(&["auto", "always", "never"]),
        usual: "auto",
        about: "Colours: auto (on a terminal), always or never",
    },
];

impl Key {
    pub(crate) fn facts(self) -> &'static Facts {
        // Every key stands in the table, which a test holds, so the first is never what comes of this.
        KEYS.iter().find(|facts| facts.key == self).unwrap_or(&KEYS[0])
    }

    /// Whether it says what is allowed, who decides where, and who hears of it. A folder that somebody else filled, such as a
    /// repository that was cloned, is not to say that.
    pub(crate) const fn must_be_meant(self) -> bool {
        matches!(
            self,
            Self::Policy | Self::Server | Self::Database | Self::DatabaseFile | Self::As | Self::Otlp
        )
    }
}

/// What is said of a name that is no key: the key that was meant, or all there are.
pub(crate) fn instead_of(name: &str) -> String {
    let nearest = KEYS.iter().map(|facts| (distance(name, facts.name), facts.name)).min();
    match nearest {
        Some((steps, meant)) if steps <= 1 + meant.len() / 3 => format!("did you mean `{meant}`?"),
        _ => {
            let names: Vec<_> = KEYS.iter().map(|facts| facts.name).collect();
            format!("there is {}", names.join(", "))
        }
    }
}

/// How many characters it takes to turn one word into the other.
pub(crate) fn distance(from: &str, to: &str) -> usize {
    let to: Vec<_> = to.chars().collect();
    let mut row: Vec<_> = (0..=to.len()).collect();
    for (above, left) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (column, right) in to.iter().enumerate() {
            let change = diagonal + usize::from(left.to_ascii_lowercase() != *right);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_stands_in_the_table() {
        for facts in KEYS {
            assert_eq!(facts.key.facts().name, facts.name);
        }
    }

    #[test]
    fn the_key_that_was_meant_is_found() {
        assert_eq!(instead_of("polcy"), "did you mean `policy`?");
        assert_eq!(instead_of("Databases"), "did you mean `database`?");
        assert_eq!(instead_of("log-format"), "did you mean `log_format`?");
        assert!(instead_of("colors").contains("colour"));
        assert!(instead_of("frequency").starts_with("there is database, "));
    }
}
