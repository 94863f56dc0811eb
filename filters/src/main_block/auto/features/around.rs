//! Features: distance to, and size of, the nearest enclosing element of each kind.

use super::{Base, Family, RowSink};
use crate::html::{
    NodeId,
    attribute_hints::class_hints::{CLASS_HINTS, ClassHint, LANDMARKS, Landmark},
};

/// Distance of what is not there, in elements: pages are rarely deeper.
const FAR: f32 = 30.0;

/// Kinds whose distance counts.
const NEAR: [ClassHint; 12] = [
    ClassHint::Content,
    ClassHint::Message,
    ClassHint::Comment,
    ClassHint::Related,
    ClassHint::Footer,
    ClassHint::Header,
    ClassHint::Overlay,
    ClassHint::Meta,
    ClassHint::Review,
    ClassHint::Tool,
    ClassHint::Shop,
    ClassHint::Card,
];

/// Kinds whose share of the page counts.
const SHARE: [ClassHint; 8] = [
    ClassHint::Content,
    ClassHint::Related,
    ClassHint::Footer,
    ClassHint::Sidebar,
    ClassHint::Review,
    ClassHint::Form,
    ClassHint::Shop,
    ClassHint::Card,
];

const NEAR_LANDMARKS: [Landmark; 11] = [
    Landmark::Main,
    Landmark::Article,
    Landmark::Nav,
    Landmark::Footer,
    Landmark::Aside,
    Landmark::Dialog,
    Landmark::Form,
    Landmark::Section,
    Landmark::List,
    Landmark::Figure,
    Landmark::Hidden,
];

/// Class hints of clutter, by the names of elements.
pub(super) const NEGATIVE: u32 = ClassHint::Comment.bit()
    | ClassHint::Related.bit()
    | ClassHint::Share.bit()
    | ClassHint::Nav.bit()
    | ClassHint::Footer.bit()
    | ClassHint::Sidebar.bit()
    | ClassHint::Ad.bit()
    | ClassHint::Newsletter.bit()
    | ClassHint::Consent.bit()
    | ClassHint::Overlay.bit()
    | ClassHint::Pager.bit();

/// Distances of an element to [`NEAR`], [`NEAR_LANDMARKS`] and last [`NEGATIVE`], in levels up to the nearest; infinite where there is none.
type Levels = [f32; NEAR.len() + NEAR_LANDMARKS.len() + 1];

const NEGATIVE_AT: usize = NEAR.len() + NEAR_LANDMARKS.len();

#[derive(Clone)]
struct BlockSurroundings {
    levels: Levels,
    /// Share of the page of the nearest: [`SHARE`].
    shares: [f32; SHARE.len()],
    share_negative: f32,
}

/// By their numbers, where in [`Levels`] class hints and landmarks stand, and where in [`SHARE`] class hints.
const NONE: u8 = u8::MAX;
const CUES_AT: [u8; 32] = {
    let mut at = [NONE; 32];
    let mut next = 0u8;
    while (next as usize) < NEAR.len() {
        at[NEAR[next as usize] as usize] = next;
        next += 1;
    }
    at
};
const SHARES_AT: [u8; 32] = {
    let mut at = [NONE; 32];
    let mut next = 0u8;
    while (next as usize) < SHARE.len() {
        at[SHARE[next as usize] as usize] = next;
        next += 1;
    }
    at
};
const LANDMARKS_AT: [u8; 32] = {
    let mut at = [NONE; 32];
    let mut next = 0u8;
    while (next as usize) < NEAR_LANDMARKS.len() {
        at[NEAR_LANDMARKS[next as usize] as usize] = next;
        next += 1;
    }
    at
};

/// By place.
pub(super) struct Around(Vec<BlockSurroundings>);

impl Around {
    pub(super) fn new(base: &Base<'_>) -> Around {
        let of_body = BlockSurroundings {
            levels: [f32::INFINITY; NEGATIVE_AT + 1],
            shares: [0.0; SHARE.len()],
            share_negative: 2.0,
        };
        Around(base.downwards(of_body, |id, above| {
            let mut own = above.clone();
            for level in &mut own.levels {
                *level += 1.0;
            }
            let marks = base.marks(id);
            if marks.class_hints & NEGATIVE != 0 {
                own.levels[NEGATIVE_AT] = 0.0;
                own.share_negative = base.share(id);
            }
            each_bit(marks.class_hints, |bit| {
                if let Some(level) = own.levels.get_mut(usize::from(CUES_AT[bit])) {
                    *level = 0.0;
                }
                if let Some(share) = own.shares.get_mut(usize::from(SHARES_AT[bit])) {
                    *share = base.share(id);
                }
            });
            each_bit(marks.landmarks, |bit| {
                let at = NEAR.len() + usize::from(LANDMARKS_AT[bit]);
                if let Some(level) = own.levels.get_mut(at) {
                    *level = 0.0;
                }
            });
            own
        }))
    }
}

fn each_bit(mut bits: u32, mut tell: impl FnMut(usize)) {
    while bits != 0 {
        tell(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

impl Family for Around {
    fn add(&self, base: &Base<'_>, _: usize, chain: &[NodeId], row: &mut impl RowSink) {
        let own = &self.0[base.place(chain[0])];
        let far = |level: f32| if level.is_finite() { level } else { FAR };
        let (near, rest) = own.levels.split_at(NEAR.len());
        for (class_hint, &level) in NEAR.iter().zip(near) {
            row.add_of("near", CLASS_HINTS[*class_hint as usize], far(level));
        }
        for (class_hint, &share) in SHARE.iter().zip(&own.shares) {
            row.add_of("share", CLASS_HINTS[*class_hint as usize], share);
        }
        for (kind, &level) in NEAR_LANDMARKS.iter().zip(rest) {
            row.add_of("near", LANDMARKS[*kind as usize], far(level));
        }
        row.add("near_negative", far(own.levels[NEGATIVE_AT]));
        row.add("share_negative", own.share_negative);
    }
}
