//! Devices that get notifications: who registers one, and when it gets none any more.

use super::*;
use crate::{
    access::{DeviceRejection, SOLO_MARK, TokenDirectory},
    registry::MAX_DEVICES,
};
use countersign_events::{PushDeviceRemoved, PushDeviceSet, QuietHours, Role, TokenCreated, TokenRevoked};

const DAY: u64 = 86_400;

fn device(id: u64, token: Option<&str>) -> PushDeviceSet {
    PushDeviceSet {
        id: format!("{id:016x}"),
        name: "phone".to_owned(),
        host: "https://push.example".to_owned(),
        sealed: "1.k.x".to_owned(),
        token: token.map(str::to_owned),
        quiet: None,
    }
}

impl DecisionStory {
    fn makes_token(&mut self, by: Principal, mut members: serde_json::Value) {
        let id = members["id"].as_str().expect("an id").to_owned();
        let mut token =
            serde_json::json!({"name": "ada", "role": "approver", "hash": Sha256::digest(id.as_bytes())});
        token.as_object_mut().expect("an object").append(members.as_object_mut().expect("an object"));
        let created: TokenCreated = serde_json::from_value(token).expect("a token");
        self.set_by(by);
        self.execute(CommandTarget::Log, record(Body::TokenCreated(created))).expect("created");
    }

    /// Ada signs in with her token. The session idles for an hour, and ends after a week.
    fn begins_session(&mut self, id: &str, parent: &str, continues: bool) {
        let (idle, end) =
            (self.now.after(Duration::from_hours(1)), Timestamp::from_millis(1_000_000 + 604_800_000));
        let end = if continues { end } else { self.now.after(Duration::from_secs(7 * DAY)).min(end) };
        let members = serde_json::json!({"id": id, "kind": "session", "parent": parent, "expiresAt": idle, "endsAt": end});
        self.makes_token(Principal::system("sign-in"), members);
    }

    fn with_session() -> Self {
        let mut story = given("");
        story.makes_token(Principal::user("root"), serde_json::json!({"id": "t", "kind": "token"}));
        story.begins_session("s", "t", false);
        story
    }

    fn registers_device(&mut self, name: &str, set: PushDeviceSet) -> Result<Vec<String>, Refused> {
        self.person(name).execute(CommandTarget::Log, record(Body::PushDeviceSet(set)))
    }

    fn revokes_id(&mut self, id: &str) {
        let revoked = TokenRevoked { id: id.to_owned(), reason: None };
        self.person("root")
            .execute(CommandTarget::Log, record(Body::TokenRevoked(revoked)))
            .expect("revoked");
    }

    fn device_directory(&self) -> TokenDirectory {
        let mut directory = TokenDirectory::default();
        for event in &self.log {
            directory.evolve(event, &Body::read(event.seq, event.kind, &event.data).expect("reads"));
        }
        directory
    }

    /// For whom the first device gets notifications, or why it gets none.
    fn checks(&self, is_solo: bool) -> Result<String, DeviceRejection> {
        let directory = self.device_directory();
        let device = directory.push_devices().records().next().expect("a device");
        directory.check_device(device, is_solo, self.now).map(|holder| holder.name.clone())
    }
}

fn code(refused: Result<Vec<String>, Refused>) -> String {
    refused.expect_err("refused").to_string()
}

#[test]
fn device_belongs_to_the_session_of_its_person() {
    let mut story = DecisionStory::with_session();
    let set = device(1, Some("s"));
    assert_eq!(
        story.registers_device("ada", set.clone()),
        Ok(vec!["PUSH_DEVICE_SET by user:ada".to_owned()])
    );
    assert_eq!(story.registers_device("ada", set.clone()), Ok(Vec::new()), "a repeated command");
    let quiet = QuietHours { start_minute: 0, end_minute: 60, utc_offset_minutes: 0 };
    let quieter = PushDeviceSet { quiet: Some(quiet), ..set.clone() };
    assert_eq!(story.registers_device("ada", quieter).expect("other settings").len(), 1);
    assert_eq!(story.device_directory().push_devices().records().count(), 1);
    let wrong = code(story.registers_device("eve", device(2, Some("s"))));
    assert!(wrong.contains("signed out"), "the session of another person: {wrong}");
    for (set, why) in [
        (device(2, Some("none")), "over"),
        (device(2, None), "only a session"),
        (PushDeviceSet { name: String::new(), ..set.clone() }, "name"),
        (PushDeviceSet { id: "1".to_owned(), ..set.clone() }, "16"),
        (PushDeviceSet { sealed: String::new(), ..set.clone() }, "endpoint"),
        (PushDeviceSet { quiet: Some(QuietHours { end_minute: 0, ..quiet }), ..set.clone() }, "quiet"),
    ] {
        let refused = code(story.registers_device("ada", set));
        assert!(refused.contains(why), "{why}: {refused}");
    }
    let by_agent = story.agent().execute(CommandTarget::Log, record(Body::PushDeviceSet(set)));
    assert!(code(by_agent).contains("not a person"));
    story.is_admissible();
}

#[test]
fn person_has_a_limited_number_of_devices() {
    let mut story = DecisionStory::with_session();
    for id in 0..MAX_DEVICES as u64 {
        story.registers_device("ada", device(id, Some("s"))).expect("registered");
    }
    assert!(code(story.registers_device("ada", device(99, Some("s")))).contains("remove one first"));
    let removed = PushDeviceRemoved { id: device(0, None).id, reason: None };
    story.execute(CommandTarget::Log, record(Body::PushDeviceRemoved(removed))).expect("removed");
    story.registers_device("ada", device(99, Some("s"))).expect("registered");
}

#[test]
fn device_outlives_idle_session_until_its_end() {
    let mut story = DecisionStory::with_session();
    story.registers_device("ada", device(1, Some("s"))).expect("registered");
    story.later(6 * DAY);
    assert_eq!(story.checks(false), Ok("ada".to_owned()), "the session only idles");
    story.later(2 * DAY);
    assert_eq!(story.checks(false), Err(DeviceRejection::SessionOver));
}

#[test]
fn signed_out_person_gets_no_notifications() {
    for revoked in ["s", "t"] {
        let mut story = DecisionStory::with_session();
        story.registers_device("ada", device(1, Some("s"))).expect("registered");
        story.revokes_id(revoked);
        assert_eq!(story.checks(false), Err(DeviceRejection::SignedOut), "{revoked}");
        assert!(code(story.registers_device("ada", device(2, Some("s")))).contains("signed out"));
    }
}

#[test]
fn sign_out_of_continued_session_ends_device() {
    let mut story = DecisionStory::with_session();
    story.registers_device("ada", device(1, Some("s"))).expect("registered");
    story.begins_session("next", "s", true);
    story.begins_session("other", "t", false);
    story.revokes_id("other");
    assert_eq!(story.checks(false), Ok("ada".to_owned()), "another browser has signed out");
    story.revokes_id("next");
    assert_eq!(story.checks(false), Err(DeviceRejection::SignedOut));
}

#[test]
fn demoted_person_gets_no_notifications() {
    let mut story = given("");
    let account = serde_json::json!({"issuer": "https://id.example", "subject": "1"});
    let sign_in = |id: &str, role: Role| {
        serde_json::json!({
            "id": id, "kind": "session", "role": role, "account": account, "signIn": Sha256::digest(id.as_bytes()),
            "expiresAt": "1970-01-02T00:00:00.000Z", "endsAt": "1970-01-02T00:00:00.000Z",
        })
    };
    story.makes_token(Principal::system("sign-in"), sign_in("first", Role::Approver));
    story.registers_device("ada", device(1, Some("first"))).expect("registered");
    assert_eq!(story.checks(false), Ok("ada".to_owned()));
    story.makes_token(Principal::system("sign-in"), sign_in("second", Role::Auditor));
    assert_eq!(story.checks(false), Err(DeviceRejection::Demoted));
    assert!(code(story.registers_device("ada", device(2, Some("second")))).contains("may not decide"));
}

#[test]
fn solo_device_counts_only_on_a_solo_server() {
    let mut story = given("");
    story.registers_device(&format!("local{SOLO_MARK}"), device(1, None)).expect("registered");
    assert_eq!(story.checks(true), Ok(format!("local{SOLO_MARK}")));
    assert_eq!(story.checks(false), Err(DeviceRejection::WithoutCredential));
}

#[test]
fn shared_device_belongs_to_its_last_person() {
    let mut story = DecisionStory::with_session();
    story.registers_device("ada", device(1, Some("s"))).expect("registered");
    story
        .makes_token(Principal::user("root"), serde_json::json!({"id": "b", "kind": "token", "name": "bob"}));
    story.registers_device("bob", device(1, Some("b"))).expect("registered");
    assert_eq!(story.checks(false), Ok("bob".to_owned()));
    story.is_admissible();
}
