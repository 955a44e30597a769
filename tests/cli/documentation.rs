//! The version, the manual page, the command reference and the shell completions.

use crate::desk::with_desk;
use std::path::Path;

fn document(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name)
}

#[tokio::test]
async fn version_includes_the_build() {
    with_desk(async |desk| {
        let [short, whole] = [desk.types("-V").await.stdout, desk.types("version").await.stdout];
        assert!(whole.starts_with(&short) && short.lines().count() == 1, "{short}{whole}");
        assert_eq!(desk.types("--version").await.stdout, whole);
        for line in ["commit", "committed", "target", "profile", "rustc", "sqlite"] {
            assert!(whole.contains(&format!("\n  {line:<10} ")), "{whole}");
        }
        let json = desk.types("--version --json").await.stdout;
        assert_eq!(json, desk.types("version --json").await.stdout);
        let facts: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert!(facts["sqlite"].as_str().is_some_and(|version| version.starts_with("3.")), "{json}");
        assert_eq!(facts["version"], env!("CARGO_PKG_VERSION"));
    })
    .await;
}

#[tokio::test]
async fn completions_are_accepted_by_each_shell() {
    with_desk(async |desk| {
        desk.write_file("countersign.bash", &desk.types("completions bash").await.stdout);
        let asked = "source ./countersign.bash; COMP_WORDS=(countersign pen); COMP_CWORD=1; \
                     _countersign countersign pen countersign; echo \"${COMPREPLY[@]}\"";
        assert_eq!(desk.run_program("bash", &["-c", asked]).await, "pending\n");
        for shell in ["zsh", "fish", "elvish", "powershell"] {
            assert!(desk.types(&format!("completions {shell}")).await.stdout.contains("thread"), "{shell}");
        }
        assert_eq!(desk.types("completions cmd").await.code, 2);
    })
    .await;
}

#[tokio::test]
async fn manual_has_a_page_per_command() {
    with_desk(async |desk| {
        let page = desk.types("man").await.stdout;
        assert!(page.contains(".TH countersign 1") && page.contains(".SH \"EXIT STATUS\""), "{page}");
        assert!(page.contains(".SH \"ENVIRONMENT\"") && page.is_ascii(), "{page}");
        assert!(!page.contains("countersign\\-help"), "the manual refers only to existing pages");
        assert_eq!(desk.types("man --out pages").await.code, 0);
        let pages = desk.run_program("ls", &["pages"]).await;
        for name in ["countersign.1", "countersign-allow.1", "countersign-thread-policy.1"] {
            assert!(pages.lines().any(|page| page == name), "{pages}");
        }
        assert!(!pages.contains("reference"), "hidden commands have no page");
        let allow = std::fs::read_to_string(desk.path("pages/countersign-allow.1")).expect("written");
        assert!(allow.contains("\\-\\-session"), "{allow}");
        let run = std::fs::read_to_string(desk.path("pages/countersign-run.1")).expect("written");
        assert!(run.contains("countersign run [OPTIONS] \\-\\- <COMMAND>..."), "{run}");
    })
    .await;
}

/// `COUNTERSIGN_ACCEPT=1` writes the page again.
#[tokio::test]
async fn reference_in_docs_matches_the_program() {
    with_desk(async |desk| {
        let output = desk.types("reference").await.stdout;
        let path = document("commands.md");
        if std::env::var_os("COUNTERSIGN_ACCEPT").is_some() {
            std::fs::write(&path, &output).expect("the repository is writable");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == output,
            "docs/commands.md differs from `countersign reference`: run the test with COUNTERSIGN_ACCEPT=1"
        );
    })
    .await;
}

#[tokio::test]
async fn each_setting_is_documented() {
    with_desk(async |desk| {
        let page = std::fs::read_to_string(document("configuration.md")).expect("the file exists");
        let settings = desk.types("config --json").await.stdout;
        let settings: serde_json::Value = serde_json::from_str(&settings).expect("JSON");
        for setting in settings["settings"].as_array().expect("a list") {
            let key = setting["key"].as_str().expect("a name");
            let variable = format!("`COUNTERSIGN_{}`", key.to_ascii_uppercase());
            for name in [format!("`{key}`"), variable] {
                assert!(page.contains(&name), "docs/configuration.md does not describe {name}");
            }
        }
    })
    .await;
}
