//! Tests of glob matching and of invalid globs.

use super::Glob;

fn plain(glob: &str, text: &str) -> bool {
    Glob::new(glob).expect(glob).is_match(text)
}

fn path(glob: &str, text: &str) -> bool {
    Glob::path(glob).expect(glob).is_match(text)
}

#[test]
fn plain_glob_matches_whole_string() {
    assert!(plain("file-*", "file-read"));
    assert!(!plain("file-*", "my-file-read"));
    assert!(!plain("file", "file-read"));
    assert!(plain("*a*b*", "xxaxxbxx"));
    assert!(!plain("*a*b", "xxbxxa"));
    assert!(plain("a?c", "a/c"));
    assert!(!plain("a?c", "ac"));
    assert!(plain("*", ""));
    assert!(plain("ab*", "ab\ncd"));
}

#[test]
fn glob_is_case_sensitive() {
    assert!(!plain("Bash", "bash"));
    assert!(!plain("[a-z]*", "Bash"));
}

#[test]
fn sets_braces_and_escapes_match() {
    assert!(plain("[a-cx]", "b") && plain("[a-cx]", "x") && !plain("[a-cx]", "d"));
    assert!(plain("[!a]", "b") && !plain("[^a]", "a") && plain("[a-]", "-"));
    assert!(plain("git {log,show -s}*", "git show -s x"));
    assert!(plain("{a,b{c,d}}", "bd") && !plain("{a,b{c,d}}", "b"));
    assert!(plain("a{,b}", "a") && plain("a{,b}", "ab"));
    assert!(plain(r"\*\?\[\{\\", r"*?[{\") && !plain(r"\*", "x"));
    assert!(plain("a,b", "a,b"));
}

#[test]
fn path_star_does_not_match_slash() {
    assert!(path("/a/*", "/a/b") && !path("/a/*", "/a/b/c") && path("/a/**", "/a/b/c"));
    assert!(!path("/a?b", "/a/b") && !path("/a[!x]b", "/a/b") && !path("/a[.-0]b", "/a/b"));
    assert!(path("**/x", "x") && path("**/x", "/x") && path("**/x", "/a/b/x") && !path("**/x", "/ax"));
    assert!(path("/a/**/x", "/a/x") && path("/a/**/x", "/a/b/c/x") && !path("/a/**/x", "/ax"));
}

#[test]
fn invalid_glob_error_states_fault() {
    for (glob, fault) in [
        ("", "is empty"),
        ("a[", "does not close it"),
        ("a[]", "empty set"),
        ("{a", "opens a brace"),
        ("a}", "closes a brace"),
        ("a\\", "ends in"),
        ("[z-a]", "end is before its start"),
        ("a\u{200b}", "U+200B"),
        ("{{{{{a}}}}}", "too deep"),
        ("{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b}", "256 alternatives"),
    ] {
        let error = Glob::new(glob).expect_err(glob).to_string();
        assert!(error.contains(fault), "{glob}: {error}");
    }
    let long = "a".repeat(1025);
    assert!(Glob::new(&long).expect_err("too long").to_string().contains("1024"));
}

#[test]
fn glob_with_many_stars_matches_quickly() {
    let glob = Glob::new(&"a*".repeat(200)).expect("a glob");
    assert!(!glob.is_match(&format!("{}b", "a".repeat(150))));
}

#[test]
fn glob_with_hole_could_match_any_value() {
    let glob = Glob::new("git push*--force*").expect("a glob");
    assert!(glob.could_match("git push \u{ffff}") && glob.could_match("\u{ffff}"));
    assert!(!glob.could_match("git status \u{ffff}") && !glob.could_match("git push"));
}

#[test]
fn name_with_invisible_characters_compiles_only_as_name() {
    let text = "mail\u{202e}*";
    assert!(Glob::new(text).is_err());
    assert!(Glob::path(text).is_err());
    assert!(Glob::name(text).expect("a glob over names").is_match("mail\u{202e}er"));
}

#[test]
fn glob_beyond_its_budget_is_rejected() {
    for (glob, why) in [
        ("x".repeat(1025), "longer than 1024 characters"),
        ("{a,b}".repeat(9), "more than 256 alternatives"),
        (format!("{}{}", "{a,b}".repeat(7), "x".repeat(100)), "more than 4096 characters"),
        ("{{{{{a}}}}}".to_owned(), "braces too deep"),
    ] {
        let error = Glob::new(&glob).expect_err("too large").to_string();
        assert!(error.contains(why), "{error}");
    }
}
