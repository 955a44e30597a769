//! `countersign delegation`, and decisions on behalf of another person.

use crate::desk::with_desk;
use insta::assert_snapshot;

#[tokio::test]
async fn bad_delegation_is_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("delegation set user:ben --as user:ada").await, @"
        ! error: the following required arguments were not provided:
        !   --until <MOMENT>
        ! 
        ! Usage: countersign delegation set --as <PRINCIPAL> --until <MOMENT> <PERSON>
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("delegation set user:ada --for 7d --as user:ada").await, @"
        ! countersign: to: name another person
        exit 2
        ");
        assert_snapshot!(desk.types("delegation set user:ben --for 7d --as agent:builder").await, @"
        ! countersign: agent:builder is not a person, and only people decide
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        assert_snapshot!(desk.types("delegation end 7 --as user:ada").await, @"
        ! countersign: there is no active delegation with this number
        ! hint: `countersign delegation list` lists the active delegations
        exit 3
        ");
        assert_snapshot!(desk.types("allow call_1 --on-behalf-of user:ada --as user:ben").await, @"
        ! countersign: user:ada has not handed their queue to user:ben, or not any more
        ! hint: `countersign delegation list` lists the active delegations
        exit 3
        ");
        assert_snapshot!(desk.types("delegation list").await, @"
        No delegation is active.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn delegate_decides_on_behalf_of_another_person() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("delegation set user:ben --for 7d --comment leave --as user:ada").await, @"
        Delegation 4: user:ben may decide on behalf of user:ada until [time].
        exit 0
        ");
        assert_snapshot!(desk.types("delegation list").await, @"
        DELEGATION  FROM      TO        UNTIL                     COMMENT
                 4  user:ada  user:ben  [time]  leave
        exit 0
        ");
        assert_snapshot!(desk.types("allow call_1 --on-behalf-of user:ada --as user:ben").await, @"
        Allowed call_1 once.
        exit 0
        ");
        assert_snapshot!(desk.types("show call_1").await, @"
        call_1  bash  allowed
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time]
          decided    allow_once by user:ben on behalf of user:ada at [time] (approver)
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        ");
        assert_snapshot!(desk.types("delegation end 4 --as user:ben").await, @"
        Ended delegation 4: user:ben no longer decides on behalf of user:ada.
        exit 0
        ");
        assert_snapshot!(desk.types("log --type DELEGATION_SET --type DELEGATION_ENDED --type TOOL_APPROVAL_RESPONSE").await, @"
            4  [moment]    user:ada hands their queue to user:ben until [time] (leave)
            5  [moment]  t1  user:ben on behalf of user:ada allows call_1
            6  [moment]    user:ben ends delegation 4
        exit 0
        ");
        assert_snapshot!(desk.types("verify").await, @"
        6 events, and the hash chain is intact.
        tip 6:[sha256]
        exit 0
        ");
    })
    .await;
}
