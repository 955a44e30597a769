//! The thread as a reconstructed command may have seen it. The log does not record which arguments a pattern matched
//! under the policy of its time.

use crate::{GrantScope, Thread, thread::Grant};

/// The thread without its decisions for a pattern, or `None` if it has none.
pub(super) fn without_patterns(thread: &Thread) -> Option<Thread> {
    let has_pattern = |grant: &Grant| matches!(grant.scope, Some(GrantScope::Pattern(_)));
    thread.grants.iter().any(has_pattern).then(|| {
        let mut thread = thread.clone();
        thread.grants.retain(|grant| !has_pattern(grant));
        thread
    })
}
