//! Keywords and their aliases.

use super::*;
use std::{fmt::Debug, str::FromStr};

/// The error for an unknown keyword suggests only accepted keywords.
fn check_suggestions<T: FromStr<Err = UnknownWord> + Debug>() {
    let unknown = "nonsense".parse::<T>().expect_err("unknown");
    assert!(!unknown.known.is_empty(), "{unknown}");
    for word in unknown.known.split(", ") {
        word.parse::<T>().unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn suggested_words_are_accepted() {
    check_suggestions::<Decision>();
    check_suggestions::<Source>();
    check_suggestions::<Basis>();
    check_suggestions::<Status>();
    check_suggestions::<DecisionChannel>();
    check_suggestions::<RiskLevel>();
    check_suggestions::<GrantAgents>();
    check_suggestions::<ToolPolicy>();
    check_suggestions::<Mode>();
    check_suggestions::<OnExpiry>();
    check_suggestions::<AdvisorProtocol>();
    check_suggestions::<AdvisorMode>();
    check_suggestions::<AdviceVerdict>();
    check_suggestions::<AdviceFailure>();
    check_suggestions::<ReportSource>();
    check_suggestions::<crate::CallState>();
}

#[test]
fn alias_never_means_more_than_it_says() {
    assert_eq!("allow".parse(), Ok(Decision::AllowOnce), "not the session");
    assert_eq!("block".parse(), Ok(Decision::Deny));
    assert_eq!("ask".parse(), Ok(ToolPolicy::RequireApproval));
    assert_eq!("deny".parse(), Ok(Mode::AutoDeny));
    assert!("allow".parse::<Mode>().is_err() && "allow_all".parse::<Mode>().is_err());
}

#[test]
fn events_never_contain_an_alias() {
    let read = |text: &str| serde_json::from_str::<Decision>(text).expect("readable");
    assert_eq!(read("\"allow\""), Decision::Other, "an event with it allows nothing");
    assert_eq!(serde_json::to_string(&Decision::Deny).expect("text"), "\"deny\"");
}
