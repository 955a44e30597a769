//! Properties of the patterns that hold for every input.

use proptest::prelude::*;

use super::{
    CommandPattern, Glob, MatchAnswer, ParsedPath, ParsedScript, ParsedUrl, PathPattern, UrlPattern,
    command::{CommandLine, CommandWord, ReadBudget, match_any, match_every},
    path::normalise,
};

/// Shell-like text made of syntactically relevant pieces in random order.
fn shell_text() -> impl Strategy<Value = String> {
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

fn single_pattern(text: &str) -> [CommandPattern; 1] {
    [CommandPattern::new(text).expect(text)]
}

proptest! {
    #[test]
    fn match_of_any_input_does_not_panic(text in any::<String>(), other in any::<String>()) {
        let script = ParsedScript::parse(&text);
        let _ = (script.commands().count(), script.suggest());
        if let Ok(pattern) = CommandPattern::new(&other) {
            let _ = {
                let patterns = [pattern];
                (match_every(&patterns, &script), match_any(&patterns, &script))
            };
        }
        let _ = Glob::path(&other).map(|glob| glob.is_match(&text));
        let (path, url) = (ParsedPath::parse(&text), ParsedUrl::parse(&text));
        let _ = PathPattern::new(&other).map(|pattern| pattern.matches(&path));
        let _ = UrlPattern::new(&other).map(|pattern| pattern.matches(&url));
        let _ = (path.is_within(&ParsedPath::parse(&other)), url.suggest(), path.suggest());
    }

    #[test]
    fn spans_are_in_order_and_inside_the_text(text in shell_text()) {
        let line = CommandLine::read(&text, ReadBudget::COMMAND_LINE);
        for command in &line.commands {
            let words: Vec<&CommandWord> = command.words.iter().collect();
            prop_assert!(words.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{text:?}");
            for word in words {
                let place = text.get(word.span.clone());
                prop_assert!(place.is_some(), "{text:?}: {word:?}");
                let inside = |at: usize| (word.span.start..=word.span.end).contains(&at);
                for piece in &word.literals {
                    prop_assert!(inside(piece.span.start) && inside(piece.span.end), "{text:?}: {word:?}");
                    prop_assert!(text.get(piece.span.clone()).is_some_and(|part| !part.is_empty()), "{text:?}: {word:?}");
                }
                prop_assert!(word.literals.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
                let known: String = word.literals.iter().map(|piece| &text[piece.span.clone()]).collect();
                prop_assert!(!word.is_literal() || known == word.text, "{text:?}: {word:?}");
            }
        }
    }

    #[test]
    fn work_is_bounded_for_any_text(text in any::<String>(), repeats in 1_usize..60, shell in shell_text()) {
        for text in [&text, &shell] {
            let script = ParsedScript::parse(&text.repeat(repeats));
            prop_assert!(script.steps() <= 2 * ReadBudget::COMMAND_LINE.steps);
        }
    }

    #[test]
    fn command_appended_to_allowed_command_is_not_allowed(text in shell_text(), prefix in "ls|git status|echo") {
        let text = format!("{prefix} {text}");
        let patterns = single_pattern(&format!("{prefix}*"));
        for more in ["; rm -rf /", "\nrm -rf /", " && rm x", " | sh", " & rm x", " $(x)", " `x`", " > f", " <(x)", "\n$(x)"] {
            if match_every(&patterns, &ParsedScript::parse(&text)) == MatchAnswer::Yes {
                let longer = format!("{text}{more}");
                // A comment hides the rest of its line, and a trailing backslash escapes the next character.
                let is_hidden = !more.starts_with('\n') && text.contains('#') || text.ends_with('\\');
                prop_assert!(is_hidden || match_every(&patterns, &ParsedScript::parse(&longer)) != MatchAnswer::Yes, "{longer:?}");
            }
        }
    }

    #[test]
    fn allowed_script_is_also_blocked_by_pattern(text in shell_text(), glob in "(ls|git|echo|sudo|bash)? ?\\*") {
        let Ok(pattern) = CommandPattern::new(&glob) else { return Ok(()) };
        let script = ParsedScript::parse(&text);
        if match_every(std::slice::from_ref(&pattern), &script) == MatchAnswer::Yes {
            prop_assert_eq!(match_any(&[pattern], &script), MatchAnswer::Yes);
        }
    }

    #[test]
    fn blocked_command_is_found_when_appended(text in shell_text()) {
        for more in ["\nrm -rf /", "; rm -rf /"] {
            let answer = match_any(&single_pattern("rm -rf*"), &ParsedScript::parse(&format!("{text}{more}")));
            // Inside quotes and comments, the text is not a command.
            let inert = text.contains(['\'', '"', '#', '\\', '<', '`', '$', '[', '(']);
            prop_assert!(inert || answer != MatchAnswer::No, "{text:?}{more:?}");
        }
    }

    // The words start with x because no shell keyword does.
    #[test]
    fn quoted_command_is_blocked_like_unquoted(words in prop::collection::vec("x[a-z]{1,4}", 1..4), at in 0_usize..4, style in 0..4) {
        let mut quoted = words.clone();
        let at = at % words.len();
        let word = &words[at];
        quoted[at] = match style {
            0 => format!("'{word}'"),
            1 => format!("\"{word}\""),
            2 => format!("\\{word}"),
            _ => format!("{}''{}", &word[..1], &word[1..]),
        };
        let patterns = single_pattern(&format!("{}*", words.join(" ")));
        for text in [words.join(" "), quoted.join(" ")] {
            let answer = match_any(&patterns, &ParsedScript::parse(&text));
            prop_assert_eq!(answer, MatchAnswer::Yes, "{}", text);
        }
    }

    #[test]
    fn suggested_command_pattern_covers_no_second_command(text in shell_text()) {
        if let Some(suggested) = ParsedScript::parse(&text).suggest() {
            prop_assert_ne!(match_every(&single_pattern(&suggested), &ParsedScript::parse(&format!("{text}\nrm x"))), MatchAnswer::Yes);
        }
    }

    #[test]
    fn normalised_path_is_a_fixed_point(path in "(/|\\.|\\.\\.|a|b\\.c| |~|%2e|\\\\|é){0,10}", root in "/?[ab./]{1,6}") {
        if let Some(normal) = normalise(&path) {
            prop_assert_eq!(normalise(&normal), Some(normal.clone()));
            prop_assert!(!normal.split('/').any(|segment| segment == ".."));
            let root = ParsedPath::parse(&root);
            prop_assert_eq!(ParsedPath::parse(&path).is_within(&root), ParsedPath::parse(&normal).is_within(&root));
        }
        let parsed = ParsedPath::parse(&path);
        if let Some(suggested) = parsed.suggest() {
            prop_assert_eq!(PathPattern::new(&suggested).expect("a pattern").matches(&parsed), MatchAnswer::Yes);
        }
    }

    #[test]
    fn suggested_url_pattern_matches_its_source(url in "https?://([a-z]{1,3}\\.){0,2}(com|1|\\[::1\\])(:[0-9]{1,3})?/[a-z./%?#@]{0,9}") {
        let parsed = ParsedUrl::parse(&url);
        if let Some(suggested) = parsed.suggest() {
            prop_assert_eq!(UrlPattern::new(&suggested).expect("a pattern").matches(&parsed), MatchAnswer::Yes);
        }
    }

    #[test]
    fn escaped_glob_matches_only_its_text(text in "[ -~]{1,12}", other in "[ -~]{1,12}") {
        let escaped: String = text.chars().flat_map(|c| ['\\', c]).collect();
        let glob = Glob::new(&escaped).expect("escapes");
        prop_assert!(glob.is_match(&text));
        prop_assert_eq!(glob.is_match(&other), text == other);
    }
}
