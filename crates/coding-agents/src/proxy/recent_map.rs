//! A map with a limited size.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

/// A map that keeps the entries that were added last.
#[derive(Debug)]
pub(super) struct RecentMap<K, V> {
    values: HashMap<K, V>,
    order: VecDeque<K>,
    most: usize,
}

impl<K: Clone + Eq + Hash, V> RecentMap<K, V> {
    /// An empty map of at most `most` entries.
    pub(super) fn with_limit(most: usize) -> Self {
        Self { values: HashMap::new(), order: VecDeque::new(), most }
    }

    /// The value of this key. If it has none yet, `create` makes it, and the oldest entry of a full map goes.
    pub(super) fn get_or_insert_with(&mut self, key: K, create: impl FnOnce() -> V) -> &mut V {
        if !self.values.contains_key(&key) {
            if self.order.len() >= self.most
                && let Some(oldest) = self.order.pop_front()
            {
                self.values.remove(&oldest);
            }
            self.order.push_back(key.clone());
        }
        self.values.entry(key).or_insert_with(create)
    }

    /// A key for which `is_wanted` returns true.
    pub(super) fn find(&self, is_wanted: impl Fn(&K, &V) -> bool) -> Option<K> {
        self.values.iter().find(|(key, value)| is_wanted(key, value)).map(|(key, _)| key.clone())
    }

    /// This key's value.
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    /// Removes the value of this key.
    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        let value = self.values.remove(key)?;
        self.order.retain(|other| other != key);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_entry_goes() {
        let mut map = RecentMap::with_limit(2);
        for key in ["a", "b", "a", "c"] {
            map.get_or_insert_with(key, || key);
        }
        assert_eq!([map.remove(&"a"), map.remove(&"b"), map.remove(&"c")], [None, Some("b"), Some("c")]);
        map.get_or_insert_with("d", || "d");
        assert_eq!((map.order.len(), map.values.len()), (1, 1));
    }
}
