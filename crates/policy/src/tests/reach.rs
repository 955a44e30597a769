//! The files that calls reach.

use super::*;

/// The reach of the call in the project `/srv/shop`.
fn reach_in_shop(call: TestCall) -> CallReach {
    let folder = Some("/srv/shop".to_owned());
    let place = Place { project: folder.clone(), folder, ..Place::default() };
    let call = TestCall { place: Some(place), ..call };
    Policy::shipped().find_reach(&call.subject())
}

#[test]
fn reach_is_what_is_certain() {
    let edit =
        |path: &str| call("Edit", &format!(r#"{{"file_path":"{path}","old_string":"a","new_string":"b"}}"#));
    for (call, reach) in [
        (edit("src/a.rs"), CallReach::ProjectFiles),
        (call("Read", r#"{"file_path":"/srv/shop/a"}"#), CallReach::ProjectFiles),
        (edit("/etc/passwd"), CallReach::Elsewhere),
        (edit(".git/config"), CallReach::Elsewhere),
        (edit(".GIT/config"), CallReach::Elsewhere),
        (bash("make deploy"), CallReach::Project),
        (bash("cat ../secret"), CallReach::Elsewhere),
        (bash("cat $FILE"), CallReach::Elsewhere),
        (call("fetch", r#"{"url":"https://example.com/"}"#), CallReach::Elsewhere),
        (call("transfer", r#"{"amount":3}"#), CallReach::NoFiles),
        (call("other__Edit", r#"{"path":"a"}"#), CallReach::Project),
    ] {
        let shown = format!("{call:?}");
        assert_eq!(reach_in_shop(call), reach, "{shown}");
    }
}

#[test]
fn call_without_a_project_may_reach_anything() {
    assert_eq!(Policy::shipped().find_reach(&bash("make").subject()), CallReach::Elsewhere);
}
