//! Reader tests: the words of each command, their byte ranges, and the budget.

use super::{CommandLine, CommandPattern, ParsedScript, ReadBudget, WordExpansion, match_any, match_every};
use crate::MatchAnswer;

fn read(text: &str) -> CommandLine {
    CommandLine::read(text, ReadBudget::COMMAND_LINE)
}

#[test]
fn reader_reports_words_with_their_places() {
    let text = "A=1 curl -u 'ada:pw' \"$URL\" >out && echo a\\ b";
    let line = read(text);
    assert_eq!(line.unclear, None);
    let [curl, echo] = line.commands.as_slice() else { panic!("{line:?}") };
    assert_eq!((curl.assignments[0].name.as_str(), curl.assignments[0].value.value()), ("A", Some("1")));
    assert_eq!(&text[curl.assignments[0].value.span.clone()], "1");
    let words: Vec<_> = curl.words.iter().map(|word| (&text[word.span.clone()], word.value())).collect();
    let expected =
        [("curl", Some("curl")), ("-u", Some("-u")), ("'ada:pw'", Some("ada:pw")), ("\"$URL\"", None)];
    assert_eq!(words, expected);
    assert_eq!(&text[curl.words[2].literals[0].span.clone()], "ada:pw");
    assert_eq!(curl.words[3].expansion, WordExpansion::Plain);
    assert_eq!(curl.redirections[0].target.value(), Some("out"));
    assert_eq!(echo.words[1].value(), Some("a b"));
}

#[test]
fn commands_of_blocks_and_substitutions_are_listed() {
    let line =
        read("if a; then b | c; else (d); fi; while e $(f); do { g; }; done; for i in $(h); do k; done");
    assert_eq!(line.unclear, None);
    let names: Vec<_> = line.commands.iter().map(|command| command.words[0].text.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "f", "e", "g", "h", "k"]);
    assert_eq!(read("for i in a 'b c'; do d; done").loop_words[1].value(), Some("b c"));
}

#[test]
fn document_is_target_of_its_command() {
    let line = read("cat <<'E' | sh <<F\n$x\nE\n$y\nF\n(ls) <<G\nz\nG\n");
    assert_eq!(line.unclear, None);
    let targets: Vec<_> = line.commands[..2].iter().map(|command| &command.redirections[0].target).collect();
    assert_eq!((targets[0].value(), targets[0].text.as_str()), (Some("$x\n"), "$x\n"));
    assert_eq!(targets[1].value(), None);
    assert_eq!(line.block_redirections[0].target.value(), Some("z\n"));
}

#[test]
fn line_beyond_each_limit_is_unclear() {
    let full = ReadBudget::COMMAND_LINE;
    for (budget, text) in [
        (ReadBudget { bytes: 3, ..full }, "ls x"),
        (ReadBudget { tokens: 3, ..full }, "ls a b c"),
        (ReadBudget { steps: 3, ..full }, "ls x"),
        (ReadBudget { depth: 1, ..full }, "ls $(ls $(ls))"),
        (ReadBudget { depth: 1, ..full }, "((ls))"),
    ] {
        assert!(!CommandLine::read(text, budget).is_clear(), "{text}");
        assert!(CommandLine::read(text, full).is_clear() || text.starts_with("(("), "{text}");
    }
}

/// Command lines that made an earlier parser allocate without limit, take exponential time or overflow its stack.
fn hostile_texts() -> Vec<String> {
    let size = ReadBudget::COMMAND_LINE.bytes;
    let mut texts: Vec<String> =
        ["cat <<$(( )", "cat <<\r\t", "cat <<\u{c}\t", "2147483648>x", "cat <<'"].map(str::to_owned).to_vec();
    let characters = "\u{1}\t\n\r !\"#$%&'()*+,-./09:;<=>?@A[\\]^_`az{|}~\u{7f}é";
    texts.extend(characters.chars().map(|c| c.to_string().repeat(size / c.len_utf8())));
    let pieces = [
        "$(",
        "${",
        "$((",
        "((",
        "( ",
        "{ ",
        "<(",
        "\"$(",
        "\"${x:-",
        "<<E\n",
        "<<E ",
        "\"$(cat <<'E'\n",
        "\\\n",
        "$\\\n",
        "if ",
        "for x in ",
        "while x; do ",
        "case x in a) ",
        "x() ",
        "eval ",
        "sudo --x ",
        "bash -c '",
        "`\\`",
        "find -exec ",
        "x 'a b' ",
        "x $y ",
        "git -a ",
        "a=",
        "ls;",
        "ls\n",
        "env -S '",
        "# ",
        "xargs ",
        "*?[",
    ];
    texts.extend(pieces.iter().map(|piece| piece.repeat(size / piece.len())));
    texts
}

#[test]
fn hostile_text_is_judged_in_bounded_steps() {
    let patterns = ["rm*", "*a*b*c*"].map(|text| CommandPattern::new(text).expect(text));
    for text in hostile_texts() {
        let script = ParsedScript::parse(&text);
        assert!(script.steps <= 2 * ReadBudget::COMMAND_LINE.steps, "{} steps for {text:.20}", script.steps);
        let shown: usize = script.commands().map(str::len).sum();
        assert!(shown <= 16 * (text.len() + 1), "{shown} bytes for {text:.20}");
        let _ = match_any(&patterns, &script);
        assert_ne!(match_every(&patterns, &script), MatchAnswer::Yes, "{text:.20}");
    }
}
