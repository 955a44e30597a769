//! Fuzzes moments and durations: a valid one keeps its meaning when it is written and read again.
#![cfg_attr(fuzzing, no_main)]

use countersign_events::Timestamp;
use countersign_policy::parse_span;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    match input.parse::<Timestamp>() {
        Ok(moment) => assert_eq!(moment.to_string().parse(), Ok(moment)),
        Err(why) => assert!(why.to_string().len() < 2_000),
    }
    if let Some(span) = parse_span(input) {
        assert!(!span.is_zero());
        assert_eq!(
            parse_span(&format!("{}s", span.as_secs())),
            u32::try_from(span.as_secs()).ok().map(|_| span)
        );
    }
});
