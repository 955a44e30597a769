//! The files that a patch of `apply_patch` changes. Format: the patch grammar of Codex, which other agents use as well.

/// The arguments that contain the patch.
pub(crate) const PATCH_KEYS: &[&str] = &["input", "patch", "patchText", "patch_text", "command"];

const BEGIN: &str = "*** Begin Patch";
const HEADERS: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Move to: "];
const OTHER_LINES: &[&str] = &[BEGIN, "*** End Patch", "*** End of File"];

/// Whether this is the tool that applies such patches.
pub(crate) fn applies_patches(tool: &str) -> bool {
    matches!(tool, "apply_patch" | "applypatch" | "ApplyPatch")
}

/// The paths of the changed files. The error says what in the patch is not known to be a plain change.
pub(crate) fn find_changed_files(patch: &str) -> Result<Vec<&str>, String> {
    let mut files = Vec::new();
    for line in patch.lines().map(str::trim_end).filter(|line| line.trim_start().starts_with("***")) {
        if let Some(file) = HEADERS.iter().find_map(|header| line.strip_prefix(header)) {
            files.push(file);
        } else if !OTHER_LINES.contains(&line) {
            return Err(format!("the patch has the line {:?}", line.chars().take(80).collect::<String>()));
        }
    }
    if files.is_empty() { Err("the patch names no file".to_owned()) } else { Ok(files) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_patch_are_found() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b/c\n*** Move to: d\n@@\n-x\n+y\n*** End Patch";
        assert_eq!(find_changed_files(patch), Ok(vec!["a", "b/c", "d"]));
        for other in [
            "",
            "*** Begin Patch\n*** End Patch",
            "*** Delete File: a",
            "*** Update File: a\n *** Add File: /b",
        ] {
            assert!(find_changed_files(other).is_err(), "{other}");
        }
    }
}
