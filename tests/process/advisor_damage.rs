//! An advisor and a call whose row was damaged while its question waited: the question is given up, and others go on.

use crate::{
    advisors::{next_advice, proposes, serves, service},
    new_world,
};
use countersign_tests::{Database, TargetAnswer, WebhookTarget, in_time};
use std::sync::Arc;
use tokio::sync::Semaphore;

#[tokio::test]
async fn damaged_call_keeps_no_place_of_advisor() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let released = Arc::new(Semaphore::new(0));
        let waiting = Arc::clone(&released);
        let answer = r#"{"advice":"deny"}"#.to_owned();
        let mut advisor =
            WebhookTarget::start(move |_, _| TargetAnswer::JsonAfter(Arc::clone(&waiting), answer.clone()))
                .await;
        let policy = service("judge", &advisor.url(), "concurrency = 1\ntimeout = \"60s\"");
        let (mut server, mut advice) = serves(&world, &policy, &[]).await;
        proposes(&server, "a").await;
        advisor.receives().await;
        proposes(&server, "b").await;
        let damage = "PRAGMA ignore_check_constraints = TRUE; DROP TRIGGER rows_are_never_changed;
            UPDATE events SET data = replace(data, '\"bash\"', '7') WHERE type = 'TOOL_CALL' AND data LIKE '%make b%';
            SELECT changes();";
        let changed = world.run_shell(damage).await.expect("the row can be changed without its guard");
        assert_eq!(changed.trim(), "1");
        released.add_permits(2);
        assert_eq!(next_advice(&mut advice).await["toolCallId"], "a");
        server.complains("an advisor cannot be asked about this call").await;
        proposes(&server, "c").await;
        assert_eq!(next_advice(&mut advice).await["toolCallId"], "c", "the place is free");
        server.terminated().await;
    })
    .await;
}
