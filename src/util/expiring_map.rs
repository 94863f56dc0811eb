//! A map with a limited number of entries, each kept for a limited time; of more, the least recently used go.

use std::{borrow::Borrow, convert::Infallible, hash::Hash, time::Duration};

use lru::LruCache;
use parking_lot::Mutex;
use tokio::time::Instant;

/// How long an entry is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lifetime {
    Unlimited,
    SinceInsertion(Duration),
    SinceUse(Duration),
}

/// The map; shared, so that its values are cloned.
pub(crate) struct ExpiringMap<K, V> {
    entries: Mutex<LruCache<K, TimedValue<V>>>,
    most: usize,
    lifetime: Lifetime,
}

struct TimedValue<V> {
    value: V,
    /// When it was inserted, or last used.
    since: Instant,
}

impl<K: Hash + Eq + Clone, V: Clone> ExpiringMap<K, V> {
    pub(crate) fn new(most: usize, lifetime: Lifetime) -> Self {
        Self { entries: Mutex::new(LruCache::unbounded()), most, lifetime }
    }

    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.get_locked(&mut self.entries.lock(), key)
    }

    /// Whether it has an entry of this key, which is no use of it.
    pub(crate) fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.entries.lock().peek(key).is_some_and(|entry| !self.has_expired(entry))
    }

    pub(crate) fn insert(&self, key: K, value: V) {
        self.insert_locked(&mut self.entries.lock(), key, value);
    }

    /// The value of this key, which is made if there is none. Nobody else can use the map while it is made.
    pub(crate) fn get_or_insert<E>(&self, key: &K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let mut entries = self.entries.lock();
        if let Some(value) = self.get_locked(&mut entries, key) {
            return Ok(value);
        }
        let value = make()?;
        self.insert_locked(&mut entries, key.clone(), value.clone());
        Ok(value)
    }

    pub(crate) fn get_or_default(&self, key: &K) -> V
    where
        V: Default,
    {
        let Ok(value) = self.get_or_insert(key, || Ok::<_, Infallible>(V::default()));
        value
    }

    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.entries.lock().pop(key);
    }

    pub(crate) fn clear(&self) {
        self.entries.lock().clear();
    }

    pub(crate) fn entries(&self) -> Vec<(K, V)> {
        let entries = self.entries.lock();
        let fresh = entries.iter().filter(|(_, entry)| !self.has_expired(entry));
        fresh.map(|(key, entry)| (key.clone(), entry.value.clone())).collect()
    }

    fn get_locked<Q: Hash + Eq + ?Sized>(&self, entries: &mut LruCache<K, TimedValue<V>>, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let entry = entries.get_mut(key).filter(|entry| !self.has_expired(entry))?;
        if matches!(self.lifetime, Lifetime::SinceUse(_)) {
            entry.since = Instant::now();
        }
        Some(entry.value.clone())
    }

    fn insert_locked(&self, entries: &mut LruCache<K, TimedValue<V>>, key: K, value: V) {
        entries.push(key, TimedValue { value, since: Instant::now() });
        while entries.len() > self.most {
            entries.pop_lru();
        }
    }

    fn has_expired(&self, entry: &TimedValue<V>) -> bool {
        match self.lifetime {
            Lifetime::Unlimited => false,
            Lifetime::SinceInsertion(time) | Lifetime::SinceUse(time) => entry.since.elapsed() >= time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_more_entries_than_fit_the_least_recently_used_go() {
        let map = ExpiringMap::new(2, Lifetime::Unlimited);
        map.insert("a", 1);
        map.insert("b", 2);
        assert_eq!(map.get("a"), Some(1));
        map.insert("c", 3);
        assert_eq!([map.get("a"), map.get("b"), map.get("c")], [Some(1), None, Some(3)]);
        map.remove("a");
        assert_eq!(map.entries(), [("c", 3)]);
    }

    #[test]
    fn entries_end_with_their_lifetime() {
        let map = ExpiringMap::new(9, Lifetime::SinceInsertion(Duration::ZERO));
        map.insert("a", 1);
        assert_eq!(map.get("a"), None);
        assert!(map.entries().is_empty());
        assert_eq!(map.get_or_insert(&"a", || Ok::<_, ()>(2)), Ok(2));
        let used = ExpiringMap::new(9, Lifetime::SinceUse(Duration::from_hours(1)));
        used.insert("a", 1);
        let before = used.entries.lock().peek("a").map(|entry| entry.since);
        assert!(used.contains_key("a") && !map.contains_key("b"));
        assert!(used.entries.lock().peek("a").map(|entry| entry.since) == before);
        assert_eq!(used.get_or_insert(&"a", || Err(())), Ok(1));
        assert!(used.entries.lock().peek("a").map(|entry| entry.since) > before, "its time begins anew");
    }
}
