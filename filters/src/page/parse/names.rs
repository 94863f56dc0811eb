//! Names of tags and attributes as interned ones, remembered: pages use few of them, again and again.

use html5ever::LocalName;

/// Places, a power of two. Two names that meet in one place take turns there, which costs the time that is saved
/// otherwise. A page uses 50 to 100 names.
const PLACES: usize = 256;

pub(super) struct Names(Vec<LocalName>);

impl Names {
    pub(super) fn new() -> Names {
        Names(vec![LocalName::default(); PLACES])
    }

    pub(super) fn get(&mut self, name: &str) -> LocalName {
        let place = &mut self.0[place(name)];
        if **place != *name {
            *place = LocalName::from(name);
        }
        place.clone()
    }
}

/// The length and three letters tell nearly all names apart that stand on one page.
fn place(name: &str) -> usize {
    let bytes = name.as_bytes();
    let Some(&last) = bytes.last() else { return 0 };
    let middle = bytes[bytes.len() / 2];
    let sum = usize::from(bytes[0])
        .wrapping_mul(7)
        .wrapping_add(usize::from(middle).wrapping_mul(31))
        .wrapping_add(usize::from(last).wrapping_mul(61))
        .wrapping_add(bytes.len().wrapping_mul(13));
    sum % PLACES
}
