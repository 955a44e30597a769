//! Error messages suggest only words that the next attempt accepts.

use crate::desk::with_desk;
use insta::assert_snapshot;

/// Command lines with a word that must be one of a few.
const LINES: [&str; 8] = [
    "thread mode {thread} {word} --as user:ada",
    "thread policy {thread} bash={word} --as user:ada",
    "calls --state {word}",
    "log --type {word}",
    "log --by {word}:ada",
    "allow {call} --session {word} --as user:ada",
    "allow {call} --scope {word} --as user:ada",
    "deny {call} --session {word} --as user:ada",
];

/// The words that an error message suggests.
fn suggested(message: &str) -> Vec<String> {
    let lists = ["possible values: ", "use one of ", "it is neither ", "does not begin with "];
    let Some(rest) = lists.iter().find_map(|list| message.split_once(list)).map(|(_, rest)| rest) else {
        panic!("no suggestion in {message}");
    };
    let end = rest.find([']', '\n']).unwrap_or(rest.len());
    let list = rest[..end].split(", nor ").next().unwrap_or_default().replace(" or ", ", ");
    list.split(", ").map(|word| word.trim_end_matches(':').to_owned()).collect()
}

#[tokio::test]
async fn suggested_words_are_accepted() {
    with_desk(async |desk| {
        let mut number = 0;
        // Each attempt has a thread and a call of its own, so that no earlier decision answers it.
        let mut attempt = async |line: &str, word: &str| {
            number += 1;
            let (thread, id) = (format!("thread_{number}"), format!("call_{number}_"));
            desk.propose(&thread, &id, "bash", r#"{"command":"git status"}"#).await;
            let line = line.replace("{word}", word).replace("{thread}", &thread).replace("{call}", &id);
            desk.types(&line).await
        };
        for line in LINES {
            let refused = attempt(line, "nonsense").await;
            assert_eq!(refused.code, 2, "{line}: {refused}");
            let words = suggested(&refused.stderr);
            assert!(words.len() > 1, "{line}: {refused}");
            for word in words {
                let output = attempt(line, &word).await;
                assert_ne!(output.code, 2, "{line} with {word}: {output}");
            }
        }
    })
    .await;
}

/// People mix up the words that policies, thread policies and the API use.
#[tokio::test]
async fn words_of_other_places_are_accepted() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("thread policy t1 bash=ask mail=block --as user:ada").await, @"
        TOOL  POLICY            SET BY    WHEN
        bash  require-approval  user:ada  [ago]
        mail  deny              user:ada  [ago]
        exit 0
        ");
        assert_eq!(desk.types("thread mode t1 auto-deny --as user:ada").await.code, 0);
        assert!(desk.types("thread mode t1").await.stdout.contains("auto_deny"));
        assert_eq!(
            desk.types("thread mode t1 allow --as user:ada").await.code,
            2,
            "no word gives more than it says"
        );
        desk.write_file("words.toml", "[[rule]]\nname = \"mail\"\ntool = \"mail\"\nverdict = \"deny\"\n");
        let checked = desk.types("policy check words.toml --tool mail --arguments '{}'").await;
        assert!(checked.stdout.contains("block"), "{checked}");
    })
    .await;
}
