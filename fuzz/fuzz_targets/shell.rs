//! Command lines: whatever they are, nothing that is appended to an allowed one is allowed.
#![cfg_attr(fuzzing, no_main)]

use countersign_patterns::{
    Answer, CommandPattern, Script,
    command::{any, every},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (glob, text) = input;
    let script = Script::parse(text);
    assert!(script.commands().all(|command| command.len() <= 16 * (text.len() + 1)));
    if let Some(suggested) = script.suggest() {
        let suggested = CommandPattern::new(&suggested).expect("what is suggested is a pattern");
        assert_eq!(every(&[suggested], &script), Answer::Yes);
    }
    for glob in ["ls*", "ls **", glob] {
        let Ok(pattern) = CommandPattern::new(glob) else { continue };
        let patterns = [pattern];
        if every(&patterns, &script) != Answer::Yes {
            continue;
        }
        assert_eq!(any(&patterns, &script), Answer::Yes, "what it shows it also speaks of");
        if glob.starts_with("ls") && !text.ends_with('\\') {
            let longer = Script::parse(&format!("{text}\nrm -rf /"));
            assert_ne!(every(&patterns, &longer), Answer::Yes);
            assert_ne!(any(&[CommandPattern::new("rm *").expect("a pattern")], &longer), Answer::No);
        }
    }
});
