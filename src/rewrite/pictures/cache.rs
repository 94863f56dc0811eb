//! Pictures that were made smaller, for the other screens of a household: in memory, bounded in bytes, and only with the validator
//! that the site sends again.

use bytes::Bytes;

use crate::util::byte_cache::ByteCache;

pub(super) type PictureCache = ByteCache<PictureKey, CachedPicture>;

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

impl PictureKey {
    /// Bytes that a picture takes with its key.
    pub(super) fn size_with(&self, picture: &CachedPicture) -> usize {
        self.url.len() + self.validator.len() + picture.bytes.len()
    }
}
