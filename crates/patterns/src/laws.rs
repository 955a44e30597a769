//! What holds of every input.

use proptest::prelude::*;

use super::{
    CommandPattern, Glob, MatchAnswer, ParsedPath, ParsedScript, ParsedUrl, PathPattern, UrlPattern,
    command::{any as any_of, every},
    path::normalise,
};

/// Shell-like text: the pieces that matter, in any order.
fn shell() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~\n\t]{0,6}",
        prop::sample::select(vec![
            "ls",
            " -la ",
            "git status",
            ";",
            "&&",
            "|",
            "\n",
            "$(",
            ")",
            "`",
            "'",
            "\"",
            "\\",
            "${x}",
            "<<E\n",
            "\nE\n",
            ">",
            "< f",
            "(",
            "((",
            "{ ",
            "; }",
            "if ",
            "; then ",
            "; fi",
            "case x in a) ",
            " ;; esac",
            "f() ",
            "#",
            " sudo ",
            "bash -c '",
            "xargs ",
            "eval ",
            "A=1 ",
            "[[ ",
            " ]]",
            "\u{a0}",
            "é",
            "!",
            "~",
            "*",
            "time ",
            "<(",
            "$'",
            "2>&1",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn pattern(text: &str) -> [CommandPattern; 1] {
    [CommandPattern::new(text).expect(text)]
}

proptest! {
    #[test]
    fn nothing_makes_a_matcher_panic(text in any::<String>(), other in any::<String>()) {
        let script = ParsedScript::parse(&text);
        let _ = (script.commands().count(), script.suggest());
        if let Ok(pattern) = CommandPattern::new(&other) {
            let _ = {
                let patterns = [pattern];
                (every(&patterns, &script), any_of(&patterns, &script))
            };
        }
        let _ = Glob::path(&other).map(|glob| glob.is_match(&text));
        let (place, address) = (ParsedPath::read(&text), ParsedUrl::read(&text));
        let _ = PathPattern::new(&other).map(|pattern| pattern.matches(&place));
        let _ = UrlPattern::new(&other).map(|pattern| pattern.matches(&address));
        let _ = (place.is_within(&ParsedPath::read(&other)), address.suggest(), place.suggest());
    }

    #[test]
    fn what_is_appended_to_an_allowed_command_is_never_allowed(text in shell(), prefix in "ls|git status|echo") {
        let text = format!("{prefix} {text}");
        let patterns = pattern(&format!("{prefix}*"));
        for more in ["; rm -rf /", "\nrm -rf /", " && rm x", " | sh", " & rm x", " $(x)", " `x`", " > f", " <(x)", "\n$(x)"] {
            if every(&patterns, &ParsedScript::parse(&text)) == MatchAnswer::Yes {
                let longer = format!("{text}{more}");
                // A comment swallows what follows it on its line, and a trailing backslash its first letter.
                let swallowed = !more.starts_with('\n') && text.contains('#') || text.ends_with('\\');
                prop_assert!(swallowed || every(&patterns, &ParsedScript::parse(&longer)) != MatchAnswer::Yes, "{longer:?}");
            }
        }
    }

    #[test]
    fn what_is_allowed_would_be_blocked_by_the_same_pattern(text in shell(), glob in "(ls|git|echo|sudo|bash)? ?\\*") {
        let Ok(pattern) = CommandPattern::new(&glob) else { return Ok(()) };
        let script = ParsedScript::parse(&text);
        if every(std::slice::from_ref(&pattern), &script) == MatchAnswer::Yes {
            prop_assert_eq!(any_of(&[pattern], &script), MatchAnswer::Yes);
        }
    }

    #[test]
    fn a_blocked_command_is_found_wherever_it_is_appended(text in shell()) {
        for more in ["\nrm -rf /", "; rm -rf /"] {
            let said = any_of(&pattern("rm -rf*"), &ParsedScript::parse(&format!("{text}{more}")));
            // Within quotes and comments it is no command.
            let inert = text.contains(['\'', '"', '#', '\\', '<', '`', '$', '[', '(']);
            prop_assert!(inert || said != MatchAnswer::No, "{text:?}{more:?}");
        }
    }

    // No word of the shell begins with an x.
    #[test]
    fn quotes_around_a_word_change_nothing_for_a_block(words in prop::collection::vec("x[a-z]{1,4}", 1..4), at in 0_usize..4, way in 0..4) {
        let mut quoted = words.clone();
        let at = at % words.len();
        let word = &words[at];
        quoted[at] = match way {
            0 => format!("'{word}'"),
            1 => format!("\"{word}\""),
            2 => format!("\\{word}"),
            _ => format!("{}''{}", &word[..1], &word[1..]),
        };
        let patterns = pattern(&format!("{}*", words.join(" ")));
        for text in [words.join(" "), quoted.join(" ")] {
            let said = any_of(&patterns, &ParsedScript::parse(&text));
            prop_assert_eq!(said, MatchAnswer::Yes, "{}", text);
        }
    }

    #[test]
    fn a_suggested_pattern_matches_what_it_was_made_of(text in shell()) {
        let script = ParsedScript::parse(&text);
        if let Some(suggested) = script.suggest() {
            prop_assert_eq!(every(&pattern(&suggested), &script), MatchAnswer::Yes);
            prop_assert_ne!(every(&pattern(&suggested), &ParsedScript::parse(&format!("{text}\nrm x"))), MatchAnswer::Yes);
        }
    }

    #[test]
    fn a_normal_path_is_normal(path in "(/|\\.|\\.\\.|a|b\\.c| |~|%2e|\\\\|é){0,10}", root in "/?[ab./]{1,6}") {
        if let Some(normal) = normalise(&path) {
            prop_assert_eq!(normalise(&normal), Some(normal.clone()));
            prop_assert!(!normal.split('/').any(|segment| segment == ".."));
            let root = ParsedPath::read(&root);
            prop_assert_eq!(ParsedPath::read(&path).is_within(&root), ParsedPath::read(&normal).is_within(&root));
        }
        let place = ParsedPath::read(&path);
        if let Some(suggested) = place.suggest() {
            prop_assert_eq!(PathPattern::new(&suggested).expect("a pattern").matches(&place), MatchAnswer::Yes);
        }
    }

    #[test]
    fn a_suggested_url_pattern_matches_what_it_was_made_of(url in "https?://([a-z]{1,3}\\.){0,2}(com|1|\\[::1\\])(:[0-9]{1,3})?/[a-z./%?#@]{0,9}") {
        let address = ParsedUrl::read(&url);
        if let Some(suggested) = address.suggest() {
            prop_assert_eq!(UrlPattern::new(&suggested).expect("a pattern").matches(&address), MatchAnswer::Yes);
        }
    }

    #[test]
    fn a_glob_of_escapes_matches_its_text_alone(text in "[ -~]{1,12}", other in "[ -~]{1,12}") {
        let escaped: String = text.chars().flat_map(|c| ['\\', c]).collect();
        let glob = Glob::new(&escaped).expect("escapes");
        prop_assert!(glob.is_match(&text));
        prop_assert_eq!(glob.is_match(&other), text == other);
    }
}
