//! The two sides of a call.

/// The side of a command: agents propose, people decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallerSide {
    Agent,
    Person,
}
