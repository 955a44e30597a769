//! The hook events of an agent that Countersign leaves alone, with the reasons.

/// Events without a hook of Countersign, for one reason.
#[derive(Debug, Clone, Copy)]
pub struct HarmlessEvents {
    /// Why nothing runs and nothing is decided that Countersign is not asked about.
    pub why: &'static str,
    /// Their names.
    pub names: &'static [&'static str],
}

/// Text, on its way to the model or its user.
pub(crate) const TEXT: &str = "it carries text: a call that follows from it is asked";
/// A turn, a session or a task that begins or ends.
pub(crate) const COURSE: &str = "it begins or ends something: each call in between is asked";
/// A call that the hook before the tool was asked about.
pub(crate) const SAME_CALL: &str = "it is about a call that the hook before the tool was asked about";
/// A request to a model.
pub(crate) const MODEL: &str = "it is about a request to a model, which runs nothing";

#[cfg(test)]
mod tests {
    use crate::agents::find_agent;
    use std::collections::{BTreeMap, BTreeSet};

    /// The events that the installed programs list. `tests/agents` compares them.
    const LISTED: &str = include_str!("../../../../tests/fixtures/agent_events.json");

    #[test]
    fn each_listed_event_is_covered_or_harmless() {
        let listed: BTreeMap<String, BTreeSet<String>> = serde_json::from_str(LISTED).expect("valid JSON");
        assert!(listed.len() > 5, "the agents with published lists: {listed:?}");
        for (agent, events) in listed {
            let agent = find_agent(&agent).expect("a known agent");
            let harmless = agent.harmless_events().iter().flat_map(|events| events.names);
            let known: Vec<_> =
                agent.covered_events().iter().chain(harmless).map(|name| (*name).to_owned()).collect();
            assert_eq!(known.len(), events.len(), "{agent}: each event stands in one place: {known:?}");
            assert_eq!(known.into_iter().collect::<BTreeSet<_>>(), events, "{agent}");
        }
    }
}
