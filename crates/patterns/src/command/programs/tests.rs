//! Tests of the table of options that write, delete or run.

use super::{
    canonical_spellings, find_open_options, find_uncovered_options, has_table, has_unnamed_effect,
    table::{EffectTable, OptionEffect},
    uses::find_uses,
};
use crate::{CommandPattern, MatchAnswer, ParsedScript, command::match_any, command::match_every};

/// The words of a command line that contains only literal words.
fn words_of(line: &str) -> Vec<String> {
    let script = ParsedScript::parse(line);
    let command = script.commands.first().expect(line);
    command.words.iter().map(|word| word.text.clone()).collect()
}

fn as_strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

fn is_unnamed(pattern: &str, line: &str) -> bool {
    has_unnamed_effect(pattern, &as_strs(&words_of(line)))
}

fn allowed(pattern: &str, line: &str) -> bool {
    match_every(&[CommandPattern::new(pattern).expect(pattern)], &ParsedScript::parse(line))
        == MatchAnswer::Yes
}

fn blocked(pattern: &str, line: &str) -> MatchAnswer {
    match_any(&[CommandPattern::new(pattern).expect(pattern)], &ParsedScript::parse(line))
}

#[test]
fn each_row_is_caught_by_its_example() {
    let mut rows = 0;
    for option in EffectTable::shared().programs.iter().flat_map(|program| &program.options) {
        let words = words_of(&option.example);
        let words = as_strs(&words);
        let found = find_uses(&words);
        assert!(found.iter().any(|used| std::ptr::eq(used.option, option)), "{}", option.example);
        assert!(has_unnamed_effect("*", &words), "{}", option.example);
        assert!(!is_unnamed("*", &option.innocent), "{}", option.innocent);
        rows += 1;
    }
    assert!(rows >= 150, "{rows} rows");
}

#[test]
fn rows_of_the_table_are_consistent() {
    for program in &EffectTable::shared().programs {
        for option in &program.options {
            for spelling in &option.spellings {
                let letter = spelling.strip_prefix('-').filter(|rest| rest.len() == 1).unwrap_or("\n");
                let listed = format!("{}{}", program.short_values, program.optional_values);
                assert!(!listed.contains(letter), "{spelling} is listed twice: {}", option.example);
            }
            assert!(option.values.is_empty() || option.value, "{}", option.example);
        }
    }
}

#[test]
fn wildcard_does_not_cover_an_effect() {
    for (pattern, line) in [
        ("git log **", "git log --output=victim.txt"),
        ("git log*", "git log --outp victim.txt"),
        ("git diff **", "git diff --ext-diff"),
        ("git *", "/usr/bin/git log --output=x"),
        ("git **", "git -c alias.x='!rm y' x"),
        ("sort **", "sort -o victim in"),
        ("sort **", "sort in -uno victim"),
        ("sort **", "sort -t -- -o victim"),
        ("find **", "find . -delete"),
        ("sed **", "sed -i s/a/b/ x"),
        ("sed **", "sed -n -e 'w victim' x"),
        ("sed **", "sed 1e x"),
        ("sed **", "sed --line-length 5 'w victim' x"),
        ("sed **", "sed -- 'w victim' -e"),
        ("tar **", "tar -tf x --to-command=rm"),
        ("sudo git log **", "sudo git log --output=x"),
        ("awk **", "awk '{ print > \"victim\" }' x"),
        ("*", "python3.12 -c x"),
    ] {
        assert!(!allowed(pattern, line), "{pattern}: {line}");
    }
}

#[test]
fn named_effect_is_covered() {
    for (pattern, line) in [
        ("git log --output=*", "git log --output=x"),
        ("git log --output*", "git log --output=x"),
        ("sort -o *", "sort -o x y"),
        ("sort -no *", "sort -no x y"),
        ("sort {-o,--output} *", "sort --output x y"),
        ("sort -o x y", "sort -o x y"),
        ("find * -delete", "find . -name x -delete"),
        ("find . -exec grep x '{}' +", "find . -exec grep x {} +"),
        ("sed -i 's/a/b/' *", "sed -i s/a/b/ x"),
        ("sed 'w out.txt' *", "sed 'w out.txt' x"),
        ("tar xzf *", "tar xzf x"),
        ("tar -x*", "tar -xf x"),
        ("git push --force origin *", "git push --force origin x"),
        ("dd if=* of=*", "dd if=a of=b"),
    ] {
        assert!(!is_unnamed(pattern, line), "{pattern}: {line}");
    }
    assert!(allowed("git log --output=*", "git log --output=x"));
}

#[test]
fn second_use_needs_a_second_name() {
    assert!(is_unnamed("sort -o out.txt *", "sort -o out.txt a -o victim"));
    assert!(is_unnamed("sort {-o,--output} out.txt *", "sort -o out.txt --output=victim"));
    assert!(is_unnamed("find . -exec grep x '{}' ';' *", "find . -exec grep x {} ';' -exec rm {} +"));
    assert!(!is_unnamed("sort -o * -o *", "sort -o a -o b"));
    assert!(is_unnamed("tar * xdir", "tar xf a xdir"));
    assert!(is_unnamed("env *", &format!("{}find . -delete", "env ".repeat(12))));
}

#[test]
fn abbreviation_in_pattern_names_only_itself() {
    assert!(is_unnamed("git log --o*", "git log --output=x"));
    assert!(!is_unnamed("git log --outp=*", "git log --outp=x"));
}

#[test]
fn innocent_scripts_are_read_to_their_end() {
    for script in [
        "p",
        "1,5p",
        "$d",
        "/a/,/b/p",
        "s/a/b/g;s|c|d|2p",
        "/x/!d",
        "1~2d",
        "/e/{p;d}",
        "s,w,e,",
        "5q",
        "s/[[:space:]]*$//",
        "s/[]x]//",
    ] {
        assert!(!is_unnamed("*", &format!("sed -n '{script}' f")), "{script}");
    }
    for script in [
        "w f",
        "s/a/b/w f",
        "s/a/b/e",
        "e rm x",
        "1,5w f",
        "s/[/]/w f",
        "p;w f",
        "/a/e",
        "p\ne",
        "r f",
        "s/[]/]//w f",
        "s/[[:a:]/]/w f/w f",
    ] {
        let words = ["sed", "-n", script, "f"];
        assert!(has_unnamed_effect("*", &words), "{script}");
    }
}

#[test]
fn unknown_argument_may_be_an_option() {
    for (line, expected) in [
        ("sort x", true),
        ("git log x", true),
        ("git", true),
        ("git status x", false),
        ("git -C x status", false),
        ("git push x", true),
        ("ls x", false),
        ("cat x", false),
        ("sudo find x", true),
        ("$x", false),
    ] {
        assert_eq!(has_table(&as_strs(&words_of(line))), expected, "{line}");
    }
    for (words, expected) in [
        (["git", "status", "\u{ffff}"], false),
        (["git", "\u{ffff}", "x"], true),
        (["git", "-C", "\u{ffff}"], true),
    ] {
        assert_eq!(has_table(&words), expected, "{words:?}");
    }
}

#[test]
fn block_of_a_long_option_covers_other_spellings() {
    for line in [
        "git push -f",
        "git push -uf origin",
        "git push origin +main",
        "git push origin +main:next",
        "git push --force",
        "git push --force-with-lease",
        "sudo git push -f",
        "bash -c 'git push -f'",
        "git push -f $x",
    ] {
        assert_eq!(blocked("git push*--force*", line), MatchAnswer::Yes, "{line}");
    }
    for line in ["git push", "git push origin main", "git push --follow-tags", "git commit -f"] {
        assert_eq!(blocked("git push*--force*", line), MatchAnswer::No, "{line}");
    }
    for (pattern, line) in [
        ("git push --force*", "git push origin +main"),
        ("git push -f*", "git push origin --force"),
        ("git push*--delete*", "git push origin :main"),
        ("rm -rf*", "rm -r --force x"),
        ("rm -rf*", "rm x -fr"),
        ("rm*--recursive*", "rm -rf x"),
        ("sort*--output=*", "sort -nox y"),
        ("git clean*--force*", "git clean -dxf"),
    ] {
        assert_eq!(blocked(pattern, line), MatchAnswer::Yes, "{pattern}: {line}");
    }
}

#[test]
fn spellings_keep_the_other_words() {
    let found = canonical_spellings(&["git", "push", "-uf", "origin", "+a"]);
    let found: Vec<_> = found.iter().map(|words| words.join(" ")).collect();
    assert!(found.contains(&"git push --force -u origin --force a".to_owned()), "{found:?}");
    assert!(found.contains(&"git push --force --force -u origin a".to_owned()), "{found:?}");
    assert!(canonical_spellings(&["ls", "-f"]).is_empty());
}

#[test]
fn open_options_of_a_pattern_are_found() {
    let found = |pattern: &str| {
        let found = find_open_options(pattern);
        found.into_iter().map(|(option, effect)| format!("{option} {}", effect.as_verb())).collect::<Vec<_>>()
    };
    assert_eq!(found("git log --output=*"), ["--output writes"]);
    assert_eq!(found("find * -delete"), ["-delete deletes"]);
    assert_eq!(found("python3 -c *"), ["-c runs code"]);
    for quiet in ["git log --output=log.txt", "find . -delete", "python3 -m pytest *", "git log **", "ls *"] {
        assert_eq!(found(quiet), Vec::<String>::new(), "{quiet}");
    }
    assert_eq!(find_uncovered_options("find **")[..2], ["-delete", "-exec"]);
    assert_eq!(find_uncovered_options("sort*")[..1], ["-o"]);
    for quiet in ["git **", "git log **", "ls **", "find . **", "*", "find"] {
        assert_eq!(find_uncovered_options(quiet), Vec::<&str>::new(), "{quiet}");
    }
    assert_eq!(OptionEffect::Write.as_verb(), "writes");
}

#[test]
fn command_with_unnamed_effect_gets_no_suggestion() {
    let suggest = |line: &str| ParsedScript::parse(line).suggest();
    assert_eq!(suggest("git log -3").as_deref(), Some("git log **"));
    assert_eq!(suggest("git log --output=x"), None);
    assert_eq!(suggest("git diff --ext-diff"), None);
    assert_eq!(suggest("tree -o x"), None);
}

#[test]
fn many_words_take_little_time() {
    let line = "sudo ".to_owned() + &"sort -x ".repeat(7000);
    assert!(!allowed("*", &line));
    assert_eq!(blocked("rm*", &line), MatchAnswer::No);
}
