//! The rate of questions.

use countersign_store::Clock;
use std::{
    str::FromStr,
    time::{Duration, Instant},
};

/// The most questions of a unit of time. A higher rate is a mistake.
const MAX_QUESTIONS: u32 = 10_000;

/// The most questions in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QuestionRate {
    interval: Duration,
}

impl FromStr for QuestionRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (number, unit) = text.split_once('/')?;
            let unit = match unit {
                "s" => Duration::from_secs(1),
                "m" => Duration::from_mins(1),
                "h" => Duration::from_hours(1),
                _ => return None,
            };
            let number = number.parse().ok().filter(|number| (1..=MAX_QUESTIONS).contains(number))?;
            Some(Self { interval: unit / number })
        };
        parse().ok_or_else(|| format!("expected a rate such as 5/s, 100/m or 1000/h, up to {MAX_QUESTIONS}"))
    }
}

/// Delays questions so that they keep the rate.
pub(super) struct QuestionPacer {
    interval: Duration,
    next: Instant,
}

impl QuestionPacer {
    pub(super) fn new(rate: QuestionRate) -> Self {
        Self { interval: rate.interval, next: Instant::now() }
    }

    /// Waits until the next question may be asked. A pause before it gives no right to ask faster afterwards.
    pub(super) async fn wait(&mut self) {
        let now = Instant::now();
        if let Some(early) = self.next.checked_duration_since(now).filter(|early| !early.is_zero()) {
            Clock::System.sleep(early).await;
        }
        self.next = self.next.max(now) + self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read() {
        let interval = |text: &str| text.parse::<QuestionRate>().map(|rate| rate.interval);
        assert_eq!(interval("5/s"), Ok(Duration::from_millis(200)));
        assert_eq!(interval("120/m"), Ok(Duration::from_millis(500)));
        assert_eq!(interval("1/h"), Ok(Duration::from_hours(1)));
        for text in ["", "5", "0/s", "-1/s", "5/d", "10001/s", "5/s/s"] {
            assert!(interval(text).is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn questions_keep_the_rate() {
        let begun = Instant::now();
        let mut pacer = QuestionPacer::new("100/s".parse().expect("a rate"));
        for _ in 0..6 {
            pacer.wait().await;
        }
        assert!(begun.elapsed() >= Duration::from_millis(50), "{:?}", begun.elapsed());
    }
}
