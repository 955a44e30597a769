//! The two sides of a call.

/// Which side a command belongs to: agents propose, people decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerSide {
    /// It proposes and executes calls.
    Agent,
    /// It reads and decides.
    Person,
}
