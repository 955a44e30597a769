//! The place of a call, as rules select it.

use super::*;

fn at(place: Place) -> TestCall {
    TestCall { place: Some(place), ..call("deploy", "{}") }
}

fn on_server(name: &str) -> Place {
    Place { server: Some(name.to_owned()), ..Place::default() }
}

/// An agent in a folder of the project `/srv/shop`.
fn by(agent: &str) -> Place {
    let (agent, project) = (Some(agent.to_owned()), Some("/srv/shop".to_owned()));
    Place { agent, project, ..Place::folder("/srv/shop/web") }
}

#[test]
fn place_selector_matches_named_fields() {
    let both = Place { host: Some("ada-laptop".to_owned()), ..Place::folder("/srv/shop") };
    for (selector, place, expected) in [
        ("server = \"staging\"", on_server("staging"), YES),
        ("server = \"stag*\"", on_server("staging"), YES),
        ("server = [\"a\", \"staging\"]", on_server("staging"), YES),
        ("server = \"staging\"", on_server("production"), NO),
        ("server = \"staging\"", Place::folder("/srv"), NO),
        ("folder = \"/srv/**\"", both.clone(), YES),
        ("folder = \"/srv/**\", host = \"ada-*\"", both.clone(), YES),
        ("folder = \"/srv/**\", host = \"prod-*\"", both.clone(), NO),
        ("folder = \"/var/**\", host = \"ada-*\"", both, NO),
        ("host = \"prod-*\"", Place::folder("/srv"), FAILED),
        ("folder = \"/srv/**\"", on_server("staging"), FAILED),
        ("folder = \"/srv/**\"", Place::folder("/srv/../etc"), NO),
        ("agent = \"claude-code*\"", by("claude-code/explore"), YES),
        ("agent = \"claude-code\"", by("claude-code/explore"), NO),
        ("agent = \"codex\"", Place::folder("/srv"), FAILED),
        ("agent = \"codex\", folder = \"/srv\"", by("claude-code"), NO),
        ("project = \"/srv/shop\"", Place::folder("/srv/shop"), FAILED),
        ("project = \"/srv/shop\"", by("codex"), YES),
        ("project = \"/srv/shop/web\"", by("codex"), NO),
        ("project = \"/srv/**\"", on_server("staging"), FAILED),
    ] {
        let shown = place.to_string();
        assert_eq!(
            outcome(&format!("place = {{ {selector} }}"), &at(place)),
            expected,
            "{selector}: {shown}"
        );
    }
}

#[test]
fn call_without_place_never_widens() {
    for selector in
        ["server = \"*\"", "folder = \"/**\"", "program = \"x\"", "host = \"x\"", "address = \"x\""]
    {
        assert_eq!(
            outcome(&format!("place = {{ {selector} }}"), &call("deploy", "{}")),
            FAILED,
            "{selector}"
        );
    }
}

#[test]
fn condition_reads_place() {
    let condition = "when = \"place.server == 'staging'\"";
    assert_eq!(outcome(condition, &at(on_server("staging"))), YES);
    assert_eq!(outcome(condition, &at(on_server("production"))), NO);
    assert_eq!(outcome(condition, &call("deploy", "{}")), FAILED);
}

#[test]
fn condition_reads_agent_and_project() {
    for (condition, place, expected) in [
        ("agent.kind == 'claude-code'", by("claude-code/explore"), YES),
        ("agent.name == 'claude-code'", by("claude-code/explore"), NO),
        ("agent.name == 'claude-code/explore'", by("claude-code/explore"), YES),
        ("agent.kind == 'codex'", Place::folder("/srv"), FAILED),
        ("has(agent.kind)", Place::folder("/srv"), NO),
        ("project == '/srv/shop'", by("codex"), YES),
        ("project == '/srv'", Place::folder("/srv"), FAILED),
        ("project == '/srv'", on_server("staging"), FAILED),
    ] {
        assert_eq!(outcome(&format!("when = \"{condition}\""), &at(place)), expected, "{condition}");
    }
}

#[test]
fn faulty_place_selector_is_refused() {
    for (selector, expected) in [
        ("place = {}", "`place` is empty"),
        ("place = { sever = \"x\" }", "server"),
        ("place = { server = \"\" }", "empty pattern"),
        ("place = \"staging\"", "place"),
    ] {
        let why = Policy::read(&one("ask", selector)).expect_err(selector).to_string();
        assert!(why.contains(expected), "{why}");
    }
}
