//! Tests of options with an effect: what wildcards cover, what a pattern names, and what a `block` pattern finds.

use super::{CommandPattern, OptionEffect, ParsedScript, match_any, match_every};
use crate::MatchAnswer;

fn pattern(text: &str) -> CommandPattern {
    CommandPattern::new(text).expect(text)
}

fn allowed(text: &str, line: &str) -> bool {
    match_every(&[pattern(text)], &ParsedScript::parse(line)) == MatchAnswer::Yes
}

fn blocked(text: &str, line: &str) -> MatchAnswer {
    match_any(&[pattern(text)], &ParsedScript::parse(line))
}

#[test]
fn wildcard_covers_no_option_with_an_effect() {
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
        ("tar * xdir", "tar xf a xdir"),
        ("sort -o out.txt **", "sort -o out.txt a -o victim"),
        ("sort {-o,--output} out.txt **", "sort -o out.txt --output=victim"),
        ("find . -exec grep x \\{\\} ';' **", "find . -exec grep x {} ';' -exec rm {} +"),
        ("git log --o*", "git log --output=x"),
        ("git pu*", "git push"),
        ("*'x **", "rm y"),
    ] {
        assert!(!allowed(pattern, line), "{pattern}: {line}");
    }
    assert!(!allowed("env **", &format!("{}find . -delete", "env ".repeat(12))));
}

#[test]
fn named_option_is_covered() {
    for (pattern, line) in [
        ("git log --output=*", "git log --output=x"),
        ("git log --output*", "git log --output=x"),
        ("git log --outp=*", "git log --outp=x"),
        ("sort -o * **", "sort -o x y"),
        ("sort -no * **", "sort -no x y"),
        ("sort {-o,--output} * *", "sort --output x y"),
        ("sort -o x y", "sort -o x y"),
        ("sort -o * -o *", "sort -o a -o b"),
        ("find ** -delete", "find . -name x -delete"),
        ("find . -exec grep x \\{\\} +", "find . -exec grep x {} +"),
        ("sed -i s/a/b/ *", "sed -i s/a/b/ x"),
        ("sed 'w out.txt' *", "sed 'w out.txt' x"),
        ("tar xzf *", "tar xzf x"),
        ("git push --force origin *", "git push --force origin x"),
        ("dd if=* of=*", "dd if=a of=b"),
    ] {
        assert!(allowed(pattern, line), "{pattern}: {line}");
    }
}

#[test]
fn script_of_sed_is_read_to_its_end() {
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
        assert!(allowed("sed **", &format!("sed -n '{script}' f")), "{script}");
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
        "r f",
        "s/[]/]//w f",
        "s/[[:a:]/]/w f/w f",
    ] {
        for line in [
            format!("sed -n '{script}' f"),
            format!("sed -n -e '{script}' f"),
            format!("sed --expression='{script}' f"),
        ] {
            assert!(!allowed("sed **", &line), "{line}");
        }
    }
}

#[test]
fn block_of_an_option_covers_other_spellings() {
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
    for line in [
        "git push",
        "git push origin main",
        "git push --follow-tags",
        "git commit -f",
        "git push origin 'a --force b'",
    ] {
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
        ("git commit -m*--no-verify*", "git commit -m x -n"),
    ] {
        assert_eq!(blocked(pattern, line), MatchAnswer::Yes, "{pattern}: {line}");
    }
}

#[test]
fn open_options_of_a_pattern_are_found() {
    let found = |text: &str| {
        let found = pattern(text).open_options();
        found.into_iter().map(|(option, effect)| format!("{option} {}", effect.as_verb())).collect::<Vec<_>>()
    };
    assert_eq!(found("git log --output=*"), ["--output writes"]);
    assert_eq!(found("find ** -delete"), ["-delete deletes"]);
    assert_eq!(found("python3 -c *"), ["-c runs code"]);
    for quiet in ["git log --output=log.txt", "find . -delete", "git log **", "ls *"] {
        assert_eq!(found(quiet), Vec::<String>::new(), "{quiet}");
    }
    assert_eq!(pattern("find **").uncovered_options()[..2], ["-delete", "-exec"]);
    for quiet in ["git **", "git log **", "ls **", "find . **", "*", "find"] {
        assert_eq!(pattern(quiet).uncovered_options(), Vec::<&str>::new(), "{quiet}");
    }
    assert_eq!(pattern("mytool **").unknown_program(), Some("mytool"));
    for known in ["git **", "ls*", "mytool x **", "mytool", "*", "{a,b} **"] {
        assert_eq!(pattern(known).unknown_program(), None, "{known}");
    }
    assert_eq!(OptionEffect::Write.as_verb(), "writes");
}

#[test]
fn command_with_unlisted_option_gets_no_suggestion() {
    let suggest = |line: &str| ParsedScript::parse(line).suggest().filter(|found| allowed(found, line));
    assert_eq!(suggest("git log -3").as_deref(), Some("git log **"));
    for line in ["git log --output=x", "git diff --ext-diff", "tree -o x", "git log --unheard-of"] {
        assert_eq!(suggest(line), None, "{line}");
    }
}

#[test]
fn many_words_are_judged_in_bounded_work() {
    let line = "sudo ".to_owned() + &"sort -x ".repeat(7000);
    assert!(!allowed("*", &line));
    assert_eq!(blocked("rm*", &line), MatchAnswer::No);
}
