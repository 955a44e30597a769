//! The words in the name of a tool.

use super::word_list::has_word;

/// Words before the verb in the name of a tool, which say what it is about.
const SUBJECTS: &str = "git github gitlab gitea forgejo bitbucket ado repo repos repository pg postgres postgresql mysql sqlite mssql mongodb mongo \
    redis neon supabase duckdb snowflake bigquery clickhouse prisma db dbhub sql database kubectl kubernetes k8s helm argocd wit wiki pr mr";

/// The words in the name of a tool, in lower case.
pub(super) struct ToolNameWords {
    /// The words of its server's name.
    pub(super) server: Vec<String>,
    /// The words of its own name.
    pub(super) own: Vec<String>,
}

impl ToolNameWords {
    pub(super) fn read(tool: &str) -> Self {
        let (server, own) = tool.rsplit_once("__").unwrap_or(("", tool));
        Self { server: words_of(server), own: words_of(own) }
    }

    /// The first word that does not only say what the tool is about.
    pub(super) fn verb(&self) -> &str {
        let verb = self.own.iter().find(|word| !has_word(SUBJECTS, word));
        verb.map_or("", String::as_str)
    }

    /// Whether the server's name has one of the words.
    pub(super) fn server_has(&self, list: &str) -> bool {
        self.server.iter().any(|word| has_word(list, word))
    }
}

/// The words of a name, also those that only a capital letter separates. The requests of Git servers are one word.
fn words_of(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push('_');
        }
        spaced.extend(c.to_lowercase());
        before = c;
    }
    let spaced = spaced.replace('-', "_");
    let joined = spaced
        .replace("pull_request", "pr")
        .replace("merge_request", "mr")
        .replace("azure_devops", "azuredevops");
    joined.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
