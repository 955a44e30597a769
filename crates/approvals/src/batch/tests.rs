//! The state's size.

use super::*;

#[test]
fn entries_not_found_count_as_memory() {
    let mut state = BatchState::new(0, Sha256::ZERO);
    let mut sizes = vec![state.memory_bytes()];
    for n in 0..10 {
        let thread_id = ThreadId::new(&format!("t{n}")).expect("valid");
        let mut read = ReadSet::default();
        read.calls.insert((thread_id.clone(), CallId::new("call_1").expect("valid")));
        read.same_arguments.insert((thread_id.clone(), Sha256::ZERO));
        read.threads.insert(thread_id);
        state.load(&read, &[]).expect("an empty list has no damaged event");
        sizes.push(state.memory_bytes());
    }
    assert!(sizes.is_sorted_by(|before, after| after - before == 3 * ENTRY_BYTES), "{sizes:?}");
    let used = ThreadId::new("t0").expect("valid");
    state.threads.get_mut(&used).expect("it is loaded").last_batch = 1;
    state.end_batch(&[], 20 * ENTRY_BYTES);
    assert!(state.memory_bytes() <= 10 * ENTRY_BYTES, "the oldest threads are dropped");
    assert!(state.threads.len() > 1 && state.threads.contains_key(&used), "and the last ones stay");
}
