//! Pictures that were made smaller, for the other screens of a household: in memory, bounded in bytes, and only with the validator
//! that the site sends again.

use bytes::Bytes;
use lru::LruCache;
use parking_lot::Mutex;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PictureKey {
    pub(super) url: String,
    pub(super) validator: String,
    /// The hash of the settings.
    pub(super) settings: u64,
}

#[derive(Clone, Debug)]
pub(super) struct CachedPicture {
    pub(super) media: &'static str,
    pub(super) bytes: Bytes,
    /// Bytes of the original.
    pub(super) before: usize,
}

pub(super) struct PictureCache {
    pictures: Mutex<CachedPictures>,
    most: usize,
}

struct CachedPictures {
    all: LruCache<PictureKey, CachedPicture>,
    bytes: usize,
}

impl PictureCache {
    /// At most so many bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { pictures: Mutex::new(CachedPictures { all: LruCache::unbounded(), bytes: 0 }), most }
    }

    pub(super) fn get(&self, key: &PictureKey) -> Option<CachedPicture> {
        self.pictures.lock().all.get(key).cloned()
    }

    /// Adds a picture; the pictures that were not used for longest make room.
    pub(super) fn add(&self, key: PictureKey, picture: CachedPicture) {
        let size = |key: &PictureKey, bytes: &Bytes| key.url.len() + key.validator.len() + bytes.len();
        let mut pictures = self.pictures.lock();
        pictures.bytes += size(&key, &picture.bytes);
        if let Some((key, old)) = pictures.all.push(key, picture) {
            pictures.bytes -= size(&key, &old.bytes);
        }
        while pictures.bytes > self.most {
            let Some((key, old)) = pictures.all.pop_lru() else { break };
            pictures.bytes -= size(&key, &old.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> PictureKey {
        PictureKey { url: name.to_owned(), validator: "1".to_owned(), settings: 1 }
    }

    fn picture(bytes: &Bytes) -> CachedPicture {
        CachedPicture { media: "image/png", bytes: bytes.clone(), before: 8000 }
    }

    #[test]
    fn the_pictures_that_were_not_used_for_longest_make_room() {
        let cache = PictureCache::new(1000);
        let bytes = Bytes::from(vec![0; 400]);
        for name in ["a", "b"] {
            cache.add(key(name), picture(&bytes));
        }
        assert!(cache.get(&key("a")).is_some());
        cache.add(key("c"), picture(&bytes));
        assert!(cache.get(&key("a")).is_some() && cache.get(&key("b")).is_none() && cache.get(&key("c")).is_some());
        cache.add(key("c"), picture(&Bytes::from(vec![0; 500])));
        assert!(cache.get(&key("a")).is_some());
        cache.add(key("d"), picture(&Bytes::from(vec![0; 2000])));
        assert!(cache.pictures.lock().all.is_empty() && cache.pictures.lock().bytes == 0);
    }
}
