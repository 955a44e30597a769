//! Who was given a right on the log keeps it when the layout goes on.

use countersign_store::{Kind, migrations};
use countersign_tests::{Database, Hand, in_town_on};

#[test]
fn who_was_granted_the_views_keeps_them() {
    in_town_on(Database::Postgres, async |town| {
        let room = town.server().database("older").await;
        let mut hand = Hand::at(&room).await;
        hand.brings_to(&migrations(Kind::Postgres)[..6]).await;
        let granted =
            "CREATE ROLE reader; GRANT SELECT ON calls TO reader; GRANT INSERT ON decisions TO reader";
        hand.does(granted).await.expect("an owner may");
        hand.brings_to(migrations(Kind::Postgres)).await;
        for (right, view) in [("SELECT", "calls"), ("INSERT", "decisions")] {
            let asked = format!("SELECT has_table_privilege('reader', '{view}', '{right}')::text");
            assert_eq!(hand.reads(&asked).await.expect("reads"), ["true"], "{right} on {view}");
        }
        hand.lets_go().await;
    });
}
