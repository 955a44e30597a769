//! `countersign config`

use crate::desk::with_desk;
use countersign_tests::lay_out;
use insta::assert_snapshot;
use serde_json::Value;

#[tokio::test]
async fn config_without_file_has_no_path() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("config --path").await, @"
        ! countersign: there is no settings file; the first of these files would be used: countersign.toml, [here]/.config/countersign/config.toml, /etc/countersign/config.toml
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn effective_settings_as_json() {
    with_desk(async |desk| {
        desk.write_file("countersign.toml", "\nserver = \"http://127.0.0.1:1\"\nlisten = \"127.0.0.1:0\"\n");
        let output = desk.types("config --config countersign.toml --json --as user:ada").await.stdout;
        let mut config: Value = serde_json::from_str(&output).expect("JSON");
        // Other tests print the defaults.
        let settings = config["settings"].as_array_mut().expect("a list");
        settings.retain(|setting| setting["from"] != "default" || setting["overridden"] == true);
        assert_snapshot!(lay_out(&config.to_string()), @r#"
        {
          "file": "countersign.toml",
          "settings": [
            {"from":"default","key":"database","overridden":true,"value":"countersign.db","where":null},
            {"from":"default","key":"database_file","overridden":true,"value":null,"where":null},
            {
              "from": "file",
              "key": "server",
              "overridden": false,
              "value": "http://127.0.0.1:1",
              "where": "countersign.toml:2"
            },
            {"from":"option","key":"as","overridden":false,"value":"user:ada","where":"--as"},
            {
              "from": "file",
              "key": "listen",
              "overridden": false,
              "value": ["127.0.0.1:0"],
              "where": "countersign.toml:3"
            }
          ]
        }
        "#);
    })
    .await;
}
