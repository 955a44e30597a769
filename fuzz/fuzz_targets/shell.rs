//! Fuzzes command lines: a command appended to an allowed line is never allowed.
#![cfg_attr(fuzzing, no_main)]

use countersign_patterns::{
    MatchAnswer, CommandPattern, ParsedScript,
    command::{any, every},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (glob, text) = input;
    let script = ParsedScript::parse(text);
    assert!(script.commands().all(|command| command.len() <= 16 * (text.len() + 1)));
    if let Some(suggested) = script.suggest() {
        let suggested = CommandPattern::new(&suggested).expect("a suggestion is a valid pattern");
        assert_eq!(every(&[suggested], &script), MatchAnswer::Yes);
    }
    for glob in ["ls*", "ls **", glob] {
        let Ok(pattern) = CommandPattern::new(glob) else { continue };
        let patterns = [pattern];
        if every(&patterns, &script) != MatchAnswer::Yes {
            continue;
        }
        assert_eq!(any(&patterns, &script), MatchAnswer::Yes, "every command matches, so at least one does");
        if glob.starts_with("ls") && !text.ends_with('\\') {
            let longer = ParsedScript::parse(&format!("{text}\nrm -rf /"));
            assert_ne!(every(&patterns, &longer), MatchAnswer::Yes);
            assert_ne!(any(&[CommandPattern::new("rm *").expect("a pattern")], &longer), MatchAnswer::No);
        }
    }
});
