//! Stories of the inbox.
