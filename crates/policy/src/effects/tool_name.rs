//! The words in a tool name.

use super::word_list::{has_word, split_name};

/// Words before the verb in a tool name, which say what the tool is about.
const SUBJECTS: &str = "git github gitlab gitea forgejo bitbucket ado repo repos repository pg postgres postgresql mysql sqlite mssql mongodb mongo \
    redis neon supabase duckdb snowflake bigquery clickhouse prisma db dbhub sql database kubectl kubernetes k8s helm argocd wit wiki pr mr";

/// The words in a tool name, in lower case.
pub(crate) struct ToolNameWords {
    /// The words of its server's name.
    pub(super) server: Vec<String>,
    /// The words of its own name.
    pub(super) own: Vec<String>,
}

impl ToolNameWords {
    pub(crate) fn read(tool: &str) -> Self {
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

/// The words of a name. The requests of Git servers are one word.
fn words_of(name: &str) -> Vec<String> {
    let words = split_name(name);
    if !words.iter().any(|word| word.starts_with("request") || word.starts_with("devops")) {
        return words;
    }
    let joined = words.join("_");
    let joined = [("pull_request", "pr"), ("merge_request", "mr"), ("azure_devops", "azuredevops")]
        .iter()
        .fold(joined, |name, (long, short)| name.replace(long, short));
    joined.split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
