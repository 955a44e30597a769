//! Fuzzes command lines: a command appended to an allowed line is never allowed.
#![cfg_attr(fuzzing, no_main)]

use countersign_patterns::{
    CommandPattern, MatchAnswer, ParsedScript,
    command::{CommandLine, ReadBudget, match_any, match_every},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (glob, text) = input;
    let line = CommandLine::read(text, ReadBudget::COMMAND_LINE);
    for words in line.commands.iter().map(|command| &command.words) {
        assert!(words.iter().all(|word| text.get(word.span.clone()).is_some()), "a word is inside the text");
        assert!(words.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "words are in order");
    }
    let script = ParsedScript::parse(text);
    assert!(script.steps() <= 2 * ReadBudget::COMMAND_LINE.steps, "the work is bounded");
    assert!(script.commands().all(|command| command.len() <= 16 * (text.len() + 1)));
    // A backslash at the end joins the next line.
    if let Some(suggested) = script.suggest().filter(|_| !text.ends_with('\\')) {
        let suggested = CommandPattern::new(&suggested).expect("a suggestion is a valid pattern");
        let longer = ParsedScript::parse(&format!("{text}\nrm -rf /"));
        assert_ne!(match_every(&[suggested], &longer), MatchAnswer::Yes);
    }
    for glob in ["ls*", "ls **", glob] {
        let Ok(pattern) = CommandPattern::new(glob) else { continue };
        let patterns = [pattern];
        if match_every(&patterns, &script) != MatchAnswer::Yes {
            continue;
        }
        assert_eq!(
            match_any(&patterns, &script),
            MatchAnswer::Yes,
            "every command matches, so at least one does"
        );
        if glob.starts_with("ls") && !text.ends_with('\\') {
            let longer = ParsedScript::parse(&format!("{text}\nrm -rf /"));
            assert_ne!(match_every(&patterns, &longer), MatchAnswer::Yes);
            assert_ne!(
                match_any(&[CommandPattern::new("rm *").expect("a pattern")], &longer),
                MatchAnswer::No
            );
        }
    }
});
