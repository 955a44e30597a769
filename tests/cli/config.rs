//! `countersign config`

use crate::desk::with_desk;
use countersign_tests::lay_out;
use insta::assert_snapshot;

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
        assert_snapshot!(lay_out(&desk.types("config --config countersign.toml --json --as user:ada").await.stdout), @r#"
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
            {"from":"default","key":"tls_ca","overridden":false,"value":null,"where":null},
            {"from":"default","key":"policy","overridden":false,"value":null,"where":null},
            {"from":"option","key":"as","overridden":false,"value":"user:ada","where":"--as"},
            {"from":"default","key":"token_file","overridden":false,"value":null,"where":null},
            {"from":"default","key":"solo","overridden":false,"value":false,"where":null},
            {"from":"default","key":"identity_header","overridden":false,"value":null,"where":null},
            {"from":"default","key":"identity_roles","overridden":false,"value":["approver"],"where":null},
            {"from":"default","key":"oidc_issuer","overridden":false,"value":null,"where":null},
            {"from":"default","key":"oidc_client_id","overridden":false,"value":null,"where":null},
            {"from":"default","key":"oidc_client_secret_file","overridden":false,"value":null,"where":null},
            {"from":"default","key":"oidc_roles","overridden":false,"value":null,"where":null},
            {"from":"default","key":"oidc_levels","overridden":false,"value":null,"where":null},
            {"from":"default","key":"oidc_groups","overridden":false,"value":null,"where":null},
            {"from":"default","key":"oidc_name_claim","overridden":false,"value":"email","where":null},
            {"from":"default","key":"oidc_email_domains","overridden":false,"value":null,"where":null},
            {
              "from": "default",
              "key": "oidc_scopes",
              "overridden": false,
              "value": ["email","profile"],
              "where": null
            },
            {
              "from": "default",
              "key": "oidc_label",
              "overridden": false,
              "value": "the host of the provider",
              "where": null
            },
            {
              "from": "file",
              "key": "listen",
              "overridden": false,
              "value": ["127.0.0.1:0"],
              "where": "countersign.toml:3"
            },
            {"from":"default","key":"reuse_port","overridden":false,"value":false,"where":null},
            {"from":"default","key":"max_connections","overridden":false,"value":null,"where":null},
            {
              "from": "default",
              "key": "timeouts",
              "overridden": false,
              "value": ["connect=10","head=10","body=30","idle=120","write=30"],
              "where": null
            },
            {"from":"default","key":"max_body","overridden":false,"value":"1048576","where":null},
            {
              "from": "default",
              "key": "caller_limits",
              "overridden": false,
              "value": ["requests=5000","streams=5000","waits=10000"],
              "where": null
            },
            {"from":"default","key":"tls_certificate","overridden":false,"value":null,"where":null},
            {"from":"default","key":"tls_key","overridden":false,"value":null,"where":null},
            {"from":"default","key":"behind_proxy","overridden":false,"value":null,"where":null},
            {"from":"default","key":"public_urls","overridden":false,"value":null,"where":null},
            {"from":"default","key":"frame_by","overridden":false,"value":null,"where":null},
            {"from":"default","key":"cors_origins","overridden":false,"value":null,"where":null},
            {"from":"default","key":"checkpoint_key","overridden":false,"value":null,"where":null},
            {"from":"default","key":"checkpoint_to","overridden":false,"value":null,"where":null},
            {"from":"default","key":"checkpoint_every","overridden":false,"value":"1h","where":null},
            {"from":"default","key":"log","overridden":false,"value":"error","where":null},
            {"from":"default","key":"log_format","overridden":false,"value":"human","where":null},
            {"from":"default","key":"otlp","overridden":false,"value":null,"where":null},
            {"from":"default","key":"bell","overridden":false,"value":true,"where":null},
            {"from":"default","key":"colour","overridden":false,"value":"auto","where":null}
          ]
        }
        "#);
    })
    .await;
}
