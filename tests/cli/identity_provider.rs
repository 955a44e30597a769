//! Settings for the identity provider at which people sign in. `tests/browser` signs people in.

use crate::desk::with_desk;

#[tokio::test]
async fn unusable_provider_settings_are_refused() {
    with_desk(async |desk| {
        desk.write_file("secret", "a secret");
        desk.run_program("chmod", &["644", "secret"]).await;
        let with_id = "--oidc-issuer https://login.example --oidc-client-id c";
        let with_role = "--oidc-client-id c --oidc-role approver=sub:*";
        for (options, why) in [
            ("--oidc-issuer https://login.example".to_owned(), "--oidc-issuer needs --oidc-client-id"),
            (with_id.to_owned(), "no rule gives a role"),
            (format!("{with_id} --oidc-role approver=sub:*"), "COUNTERSIGN_OIDC_CLIENT_SECRET"),
            (format!("{with_id} --oidc-role agent=sub:*"), "\"agent\" is not approver, auditor or admin"),
            (format!("{with_id} --oidc-role approver"), "is not RESULT=CLAIM:VALUE"),
            (format!("{with_id} --oidc-role approver=sub:* --oidc-client-secret-file secret"), "secret"),
        ] {
            let refused = desk.types(&format!("serve --listen 127.0.0.1:0 {options}")).await;
            assert_eq!(refused.code, 2, "{options}: {}", refused.stderr);
            assert!(refused.stderr.contains(why), "{options}: {}", refused.stderr);
        }
        desk.set_variable("COUNTERSIGN_OIDC_CLIENT_SECRET", "a secret");
        let refused = desk.types(&format!("serve --oidc-issuer http://login.example {with_role}")).await;
        assert!(refused.stderr.contains("must begin with https://"), "{}", refused.stderr);
        let config = desk.types("config --json").await;
        assert!(!config.stdout.contains("a secret"), "{}", config.stdout);
    })
    .await;
}

#[tokio::test]
async fn section_of_the_file_sets_the_provider() {
    with_desk(async |desk| {
        desk.write_file(
            "own.toml",
            "[oidc]\nissuer = \"https://login.example\"\nroles = [\"approver=groups:Cloud, EU\"]\n",
        );
        let config = desk.types("config --config own.toml").await;
        for value in ["https://login.example ", "approver=groups:Cloud, EU ", "own.toml:2"] {
            assert!(config.stdout.contains(value), "{}", config.stdout);
        }
        desk.write_file("countersign.toml", "[oidc]\nissuer = \"https://evil.example\"\n");
        let ignored = desk.types("config").await;
        assert!(!ignored.stdout.contains("evil.example"), "{}", ignored.stdout);
    })
    .await;
}
