//! Paths in the one form in which protections compare them.

use crate::{
    invisible::{HOLE, is_invisible},
    path::{LOOK_ALIKES, compose},
};

/// A glob as a name with holes.
pub(crate) fn to_holes(glob: &str) -> String {
    let mut name = String::new();
    let mut depth = 0_u32;
    for c in glob.rsplit('/').next().unwrap_or_default().to_lowercase().chars() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            '*' | '?' | HOLE => {}
            _ if depth > 0 => continue,
            _ => {
                name.push(c);
                continue;
            }
        }
        if !name.ends_with(HOLE) {
            name.push(HOLE);
        }
    }
    name
}

/// The path with plain slashes, and true if every program reads it so.
pub(crate) fn tidy(written: &str) -> (String, bool) {
    let mut is_exact = true;
    let mut text = written.to_owned();
    if let Some(rest) = text.get(..5).filter(|start| start.eq_ignore_ascii_case("file:")).and(text.get(5..)) {
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let rest = rest.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(rest);
        // Without a third slash, it is read in different ways.
        is_exact = rest.starts_with('/');
        text = rest.to_owned();
    }
    if text.contains('%') {
        let decoded = decode_percent(&text);
        is_exact = decoded == text;
        text = decoded;
    }
    let has_drive =
        text.as_bytes().get(1) == Some(&b':') && text.starts_with(|c: char| c.is_ascii_alphabetic());
    if has_drive {
        // Without a slash, the path begins in the folder of that drive.
        text.drain(..2);
    }
    if let Some(stream) = text.find("::$") {
        text.truncate(stream);
    }
    let is_odd = |c: char| c != HOLE && (c == '\\' || is_invisible(c) || LOOK_ALIKES.contains(&c));
    if text.contains(is_odd) {
        is_exact &= text.chars().all(|c| c == '\\' || !is_odd(c));
        let plain = |c: char| match c {
            '\\' | '\u{2044}' | '\u{2215}' | '\u{2216}' | '\u{2571}' | '\u{29f5}' | '\u{29f8}'
            | '\u{29f9}' | '\u{fe68}' | '\u{ff0f}' | '\u{ff3c}' => Some('/'),
            '\u{2024}' | '\u{3002}' | '\u{fe52}' | '\u{ff0e}' | '\u{ff61}' => Some('.'),
            _ if c != HOLE && is_invisible(c) => None,
            _ => Some(c),
        };
        text = text.chars().filter_map(plain).collect();
    }
    (text, is_exact)
}

/// The path without the folders at which systems mount another view of their files: the root of a process (`/proc/1/root`), a
/// Windows drive (`/mnt/c`, `/c`), and the volumes behind `/home`, `/users` and `/root`. The path is folded.
pub(crate) fn strip_mounts(path: &str) -> &str {
    let mut path = path;
    loop {
        let segments: Vec<&str> = path.split('/').skip(1).take(6).collect();
        let is_home = |segment: &&str| matches!(*segment, "home" | "users" | "root");
        let skipped = match segments.as_slice() {
            ["proc", _, "root", ..] | ["system", "volumes", "data", ..] => 3,
            ["proc", _, "task", _, "root", ..] => 5,
            ["mnt" | "cygdrive", drive, ..] if drive.len() == 1 => 2,
            ["private", ..] => 1,
            ["export" | "usr" | "var", home, ..] if is_home(home) => 1,
            [drive, home, ..] if drive.len() == 1 && is_home(home) => 1,
            _ => return path,
        };
        let Some((at, _)) = path.match_indices('/').nth(skipped) else { return "/" };
        path = &path[at..];
    }
}

/// The rest of a path through the working folder of a process, such as `/proc/self/cwd`.
pub(crate) fn after_working_folder(path: &str) -> Option<&str> {
    let (_, rest) = path.strip_prefix("/proc/")?.split_once('/')?;
    let rest = rest.strip_prefix("cwd")?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
}

fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The absolute path in normal form, in lower case, with composed accents, and without what some file systems ignore at the
/// end of a name.
pub(crate) fn fold(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let folded = compose(path).to_lowercase();
    for segment in folded.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            _ => kept.push(
                Some(segment.trim_end_matches(['.', ' '])).filter(|name| !name.is_empty()).unwrap_or(segment),
            ),
        }
    }
    format!("/{}", kept.join("/"))
}
