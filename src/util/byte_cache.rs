//! A map that is bounded in bytes: of more, the entries that were not used for longest go.

use std::hash::Hash;

use lru::LruCache;
use parking_lot::Mutex;

/// The map; shared, so that its values are cloned.
pub(crate) struct ByteCache<K, V> {
    entries: Mutex<CachedEntries<K, V>>,
    most: usize,
}

struct CachedEntries<K, V> {
    /// Each with its size.
    all: LruCache<K, (V, usize)>,
    bytes: usize,
}

impl<K: Hash + Eq, V: Clone> ByteCache<K, V> {
    /// At most so many bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { entries: Mutex::new(CachedEntries { all: LruCache::unbounded(), bytes: 0 }), most }
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.entries.lock().all.get(key).map(|(value, _)| value.clone())
    }

    /// Adds an entry of this size; others make room.
    pub(crate) fn add(&self, key: K, value: V, size: usize) {
        let mut entries = self.entries.lock();
        entries.bytes += size;
        if let Some((_, (_, old))) = entries.all.push(key, (value, size)) {
            entries.bytes -= old;
        }
        while entries.bytes > self.most {
            let Some((_, (_, old))) = entries.all.pop_lru() else { break };
            entries.bytes -= old;
        }
    }

    pub(crate) fn clear(&self) {
        let mut entries = self.entries.lock();
        entries.all.clear();
        entries.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_that_were_not_used_for_longest_make_room() {
        let cache = ByteCache::new(1000);
        for name in ["a", "b"] {
            cache.add(name, 1, 400);
        }
        assert!(cache.get(&"a").is_some());
        cache.add("c", 1, 400);
        assert!(cache.get(&"a").is_some() && cache.get(&"b").is_none() && cache.get(&"c").is_some());
        cache.add("c", 2, 500);
        assert_eq!([cache.get(&"a"), cache.get(&"c")], [Some(1), Some(2)]);
        cache.add("d", 1, 2000);
        assert!(cache.entries.lock().all.is_empty() && cache.entries.lock().bytes == 0);
    }
}
