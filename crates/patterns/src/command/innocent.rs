//! Innocent command lines.
