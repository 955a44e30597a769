//! The statements that a person signs. They are short and readable, and they contain no content that may have to be
//! erased: only the hashes of arguments, patterns and comments.

use countersign_events::{
    CallId, Decision, GrantAgents, GrantLimits, Json, Principal, Sha256, ThreadId, ToolName,
};
use std::fmt::Write as _;

/// A statement that a person signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement(String);

impl Statement {
    /// The text, which ends with a line break.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The passkey challenge: the SHA-256 of the statement text.
    #[must_use]
    pub fn challenge(&self) -> Sha256 {
        Sha256::digest(self.0.as_bytes())
    }
}

/// The decision of one person on one call.
#[derive(Debug, Clone, Copy)]
pub struct DecisionStatement<'a> {
    /// The first event's link, which identifies the log.
    pub log: Sha256,
    /// The thread.
    pub thread: &'a ThreadId,
    /// The call.
    pub call: &'a CallId,
    /// The tool.
    pub tool: &'a ToolName,
    /// The hash of the arguments that run: the edited ones if the decision edits them.
    pub arguments_hash: Sha256,
    /// The person.
    pub approver: &'a Principal,
    /// The person in whose place the approver decides. A statement without one has no line for it.
    pub on_behalf_of: Option<&'a Principal>,
    /// The decision.
    pub decision: Decision,
    /// The scope, in the form that the log keeps.
    pub scope: Option<ScopeOrHash<'a>>,
    /// The agents to which a remembered approval applies.
    pub agents: Option<GrantAgents>,
    /// The limits of a remembered decision. A statement without a limit has no line for it.
    pub limits: GrantLimits,
    /// The [hash](hash_text) of the comment.
    pub comment_hash: Option<Sha256>,
}

/// The scope of a decision. For an erased pattern, only its hash is known.
#[derive(Debug, Clone, Copy)]
pub enum ScopeOrHash<'a> {
    /// The scope.
    Scope(&'a Json),
    /// The SHA-256 of an erased pattern.
    ErasedPattern(Sha256),
}

/// The [`KeyStatement`] and the [`DecisionStatement`] start with different lines, so a signature over one is never
/// valid for the other. The number is the statement version.
const DECISION: &str = "Countersign decision 1";

/// See [`DECISION`].
const APPROVER_KEY: &str = "Countersign approver key 1";

/// The first line of the text whose SHA-256 is the passkey creation challenge.
pub const PASSKEY_CHALLENGE_VERSION: &str = "Countersign new passkey 1";

impl DecisionStatement<'_> {
    /// The text that the person signs. Each name is one line, because names contain no control characters.
    #[must_use]
    pub fn statement(&self) -> Statement {
        let scope = match self.scope {
            None => "none".to_owned(),
            // A pattern may be erased.
            Some(ScopeOrHash::Scope(scope)) if scope.as_str().starts_with('{') => {
                format!("sha256:{}", Sha256::digest(scope.as_str().as_bytes()))
            }
            Some(ScopeOrHash::Scope(scope)) => scope.as_str().trim_matches('"').to_owned(),
            Some(ScopeOrHash::ErasedPattern(hash)) => format!("sha256:{hash}"),
        };
        let comment = self.comment_hash.map_or_else(|| "none".to_owned(), |hash| format!("sha256:{hash}"));
        let agents = self.agents.filter(|agents| *agents == GrantAgents::Any);
        let mut lines = vec![
            ("log", self.log.to_string()),
            ("thread", self.thread.to_string()),
            ("call", self.call.to_string()),
            ("tool", self.tool.to_string()),
            ("arguments", format!("sha256:{}", self.arguments_hash)),
            ("approver", self.approver.to_string()),
            ("decision", self.decision.as_str().to_owned()),
            ("scope", scope),
            ("agents", agents.unwrap_or(GrantAgents::Proposer).as_str().to_owned()),
            ("comment", comment),
        ];
        lines.extend(self.limits.seconds.map(|seconds| ("seconds", seconds.to_string())));
        lines.extend(self.limits.uses.map(|uses| ("uses", uses.to_string())));
        lines.extend(self.on_behalf_of.map(|person| ("on behalf of", person.to_string())));
        write_statement(DECISION, &lines)
    }
}

/// The registration of another key by a person who has one already.
#[derive(Debug, Clone, Copy)]
pub struct KeyStatement<'a> {
    /// The first event's link, which identifies the log.
    pub log: Sha256,
    /// The person.
    pub approver: &'a Principal,
    /// The new public key's SHA-256.
    pub key_hash: Sha256,
}

impl KeyStatement<'_> {
    /// The text that the person signs with an earlier key.
    #[must_use]
    pub fn statement(&self) -> Statement {
        let lines = [
            ("log", self.log.to_string()),
            ("approver", self.approver.to_string()),
            ("key", format!("sha256:{}", self.key_hash)),
        ];
        write_statement(APPROVER_KEY, &lines)
    }
}

/// The text whose SHA-256 is the challenge with which a passkey is created.
pub(crate) fn passkey_creation(log: Sha256, approver: &Principal) -> Statement {
    write_statement(
        PASSKEY_CHALLENGE_VERSION,
        &[("log", log.to_string()), ("approver", approver.to_string())],
    )
}

/// The hash of a comment: the SHA-256 of its JSON form, which an event keeps after the comment is erased.
#[must_use]
pub fn hash_text(text: &str) -> Sha256 {
    Sha256::digest(Json::string(text).as_str().as_bytes())
}

fn write_statement(title: &str, lines: &[(&str, String)]) -> Statement {
    let mut text = format!("{title}\n");
    for (name, value) in lines {
        // Writing to a String never fails.
        let _ = writeln!(text, "{name}: {value}");
    }
    Statement(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_statement_is_the_documented_text() {
        let (thread, call) = (ThreadId::new("ci/7").expect("valid"), CallId::new("call_1").expect("valid"));
        let (tool, approver) = (ToolName::new("bash").expect("valid"), Principal::user("ada"));
        let pattern = Json::stored(r#"{"command":"ls *"}"#.to_owned()).expect("valid");
        let mut statement = DecisionStatement {
            log: Sha256::ZERO,
            thread: &thread,
            call: &call,
            tool: &tool,
            arguments_hash: Sha256::digest(b"{}"),
            approver: &approver,
            on_behalf_of: None,
            decision: Decision::AllowOnce,
            scope: None,
            agents: None,
            limits: GrantLimits::default(),
            comment_hash: Some(hash_text("fine")),
        };
        let zeros = "0".repeat(64);
        assert_eq!(
            statement.statement().as_str(),
            format!(
                "Countersign decision 1\nlog: {zeros}\nthread: ci/7\ncall: call_1\ntool: bash\n\
                 arguments: sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\n\
                 approver: user:ada\ndecision: allow_once\nscope: none\nagents: proposer\n\
                 comment: sha256:{}\n",
                Sha256::digest(b"\"fine\"")
            )
        );
        statement.scope = Some(ScopeOrHash::Scope(&pattern));
        let with_pattern = statement.statement();
        statement.scope = Some(ScopeOrHash::ErasedPattern(Sha256::digest(pattern.as_str().as_bytes())));
        assert_eq!(statement.statement(), with_pattern, "an erased pattern gives the same text");
        assert!(!with_pattern.as_str().contains("ls"));
        statement.limits = GrantLimits { seconds: Some(1_800), uses: Some(3) };
        assert_eq!(
            statement.statement().as_str(),
            format!("{}seconds: 1800\nuses: 3\n", with_pattern.as_str())
        );
    }
}
