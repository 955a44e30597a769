//! The browser interface: the pages, and the elements that other pages can embed. The files are plain ES modules, so there
//! is no build step, and they are part of the program.
//!
//! `assets/vendor/` has files from the npm packages `lit-html` and `@lit/reactive-element`, unchanged.

mod pages;

pub use pages::{PAGE_FILES, SIGN_IN_OUTCOME, SIGN_IN_PAGE};

/// An interface file.
#[derive(Debug, Clone, Copy)]
pub struct WebFile {
    /// Its path: below `/assets/`, or that of a page.
    pub path: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Its content.
    pub content: &'static [u8],
}

/// The document of all pages. Its scripts show the page that the address names.
pub const APP_PAGE: &str = include_str!("../assets/index.html");

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLES: &str = "text/css; charset=utf-8";
const DRAWING: &str = "image/svg+xml";
const PICTURE: &str = "image/png";
const MANIFEST: &str = "application/manifest+json";
const TEXT: &str = "text/plain; charset=utf-8";

macro_rules! files {
    ($($path:literal $kind:ident),* $(,)?) => {
        &[$(WebFile { path: $path, kind: $kind, content: include_bytes!(concat!("../assets/", $path)) }),*]
    };
}

/// All files below `/assets/`.
pub const FILES: &[WebFile] = files![
    "app.css" STYLES,
    "app.js" SCRIPT,
    "appearance.js" SCRIPT,
    "arguments/arguments-view.js" SCRIPT,
    "arguments/command-line.js" SCRIPT,
    "arguments/line-diff.js" SCRIPT,
    "arguments/telling.js" SCRIPT,
    "bulk-review.js" SCRIPT,
    "call-store.js" SCRIPT,
    "caller.js" SCRIPT,
    "card/approval-card.js" SCRIPT,
    "card/arguments-edit.js" SCRIPT,
    "card/arguments-editor.js" SCRIPT,
    "card/call-parts.js" SCRIPT,
    "card/card-styles.js" SCRIPT,
    "card/decision-panel.js" SCRIPT,
    "card/decision-proof.js" SCRIPT,
    "card/describe.js" SCRIPT,
    "card/flag-panel.js" SCRIPT,
    "card/grant-limits.js" SCRIPT,
    "card/keys.js" SCRIPT,
    "card/last-decision.js" SCRIPT,
    "card/question-form.js" SCRIPT,
    "card/scope-choice.js" SCRIPT,
    "charts/advisor-section.js" SCRIPT,
    "charts/day-chart.js" SCRIPT,
    "count-words.js" SCRIPT,
    "countersign.js" SCRIPT,
    "element-styles.js" SCRIPT,
    "element.js" SCRIPT,
    "first-call.js" SCRIPT,
    "hidden-text.js" SCRIPT,
    "history/history-rows.js" SCRIPT,
    "history/history-store.js" SCRIPT,
    "history/history-styles.js" SCRIPT,
    "icon-180.png" PICTURE,
    "icon-512.png" PICTURE,
    "icon-maskable.svg" DRAWING,
    "icon.svg" DRAWING,
    "inbox-element.js" SCRIPT,
    "inbox-list.js" SCRIPT,
    "inbox-rows.js" SCRIPT,
    "inbox-store.js" SCRIPT,
    "inbox-styles.js" SCRIPT,
    "list-controls.js" SCRIPT,
    "log-feed.js" SCRIPT,
    "manifest.webmanifest" MANIFEST,
    "on-screen.js" SCRIPT,
    "pages/call-page.js" SCRIPT,
    "pages/history-page.js" SCRIPT,
    "pages/inbox-page.js" SCRIPT,
    "pages/insight-page.js" SCRIPT,
    "pages/page-element.js" SCRIPT,
    "pages/page-styles.js" SCRIPT,
    "pages/policy-page.js" SCRIPT,
    "pages/registry.js" SCRIPT,
    "pages/settings-page.js" SCRIPT,
    "pages/thread-page.js" SCRIPT,
    "pages/threads-page.js" SCRIPT,
    "passkeys.js" SCRIPT,
    "policy/daily-review.js" SCRIPT,
    "policy/daily-words.js" SCRIPT,
    "policy/policy-findings.js" SCRIPT,
    "policy/policy-replay.js" SCRIPT,
    "policy/policy-styles.js" SCRIPT,
    "policy/rule-offer.js" SCRIPT,
    "policy/suggested-rule.js" SCRIPT,
    "policy/what-if.js" SCRIPT,
    "refusal.js" SCRIPT,
    "settings/account-section.js" SCRIPT,
    "settings/chat-section.js" SCRIPT,
    "settings/delegation-section.js" SCRIPT,
    "settings/device-section.js" SCRIPT,
    "settings/passkey-section.js" SCRIPT,
    "settings/section-element.js" SCRIPT,
    "settings/token-section.js" SCRIPT,
    "settings/tool-section.js" SCRIPT,
    "settings/webhook-section.js" SCRIPT,
    "shell/command-palette.js" SCRIPT,
    "shell/device.js" SCRIPT,
    "shell/key-help.js" SCRIPT,
    "shell/navigation.js" SCRIPT,
    "shell/notifier.js" SCRIPT,
    "shell/router.js" SCRIPT,
    "shell/shell-styles.js" SCRIPT,
    "thread/message-row.js" SCRIPT,
    "thread/thread-element.js" SCRIPT,
    "thread/thread-store.js" SCRIPT,
    "thread/thread-styles.js" SCRIPT,
    "statistics.js" SCRIPT,
    "stop-panel.js" SCRIPT,
    "times.js" SCRIPT,
    "tokens.css" STYLES,
    "types.d.ts" TEXT,
    "vendor/lit-html/LICENSE" TEXT,
    "vendor/lit-html/directive-helpers.js" SCRIPT,
    "vendor/lit-html/directive.js" SCRIPT,
    "vendor/lit-html/directives/repeat.js" SCRIPT,
    "vendor/lit-html/lit-html.js" SCRIPT,
    "vendor/reactive-element/LICENSE" TEXT,
    "vendor/reactive-element/css-tag.js" SCRIPT,
    "vendor/reactive-element/reactive-element.js" SCRIPT,
    "watched-call.js" SCRIPT,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, fs, path::Path};

    /// The largest interface, in bytes before compression. `tests/browser` checks the compressed size.
    const MOST_BYTES: usize = 490 * 1024;

    fn list_files(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                list_files(&path, root, found);
            } else {
                let name = path.strip_prefix(root).expect("below the root");
                found.insert(name.to_str().expect("ASCII").to_owned());
            }
        }
    }

    #[test]
    fn every_file_is_served() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let mut found = BTreeSet::new();
        list_files(&root, &root, &mut found);
        assert!(found.remove("index.html"), "the document of all pages");
        let listed: BTreeSet<_> = FILES.iter().map(|file| file.path.to_owned()).collect();
        assert_eq!(found, listed);
    }

    #[test]
    fn every_import_is_a_file() {
        for file in FILES.iter().filter(|file| file.kind == SCRIPT) {
            let folder = Path::new(file.path).parent().expect("a folder");
            let text = std::str::from_utf8(file.content).expect("UTF-8");
            let imports = ["from\"./", "from \"./", "import \"./"].into_iter();
            for import in imports.flat_map(|start| text.split(start).skip(1)) {
                let Some((name, _)) = import.split_once('"') else { continue };
                let path = folder.join(name);
                let is_file = FILES.iter().any(|other| Path::new(other.path) == path);
                assert!(is_file, "{} imports {name}", file.path);
            }
        }
    }

    #[test]
    fn interface_is_small() {
        let bytes: usize = FILES.iter().map(|file| file.content.len()).sum();
        assert!(bytes < MOST_BYTES, "{bytes} bytes");
    }

    #[test]
    fn page_has_no_code_of_its_own() {
        assert!(!APP_PAGE.contains("<style") && !APP_PAGE.contains("style="), "styles are files");
        assert!(!APP_PAGE.contains("<script>") && !APP_PAGE.contains("onclick"), "scripts are files");
        assert!(!APP_PAGE.contains("//"), "the page loads nothing from other servers");
    }
}
