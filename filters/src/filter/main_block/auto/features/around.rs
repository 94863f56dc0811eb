//! How near, and how large, the nearest element of each kind around the block is.

use super::{Base, Family, Row};
use crate::{
    filter::main_block::auto::cues::{CUES, Cue, LANDMARKS, Landmark},
    page::NodeId,
};

/// Distance of what is not there, in elements: pages are rarely deeper.
const FAR: f32 = 30.0;

/// Kinds whose distance counts.
const NEAR: [Cue; 12] = [
    Cue::Content,
    Cue::Message,
    Cue::Comment,
    Cue::Related,
    Cue::Footer,
    Cue::Header,
    Cue::Overlay,
    Cue::Meta,
    Cue::Review,
    Cue::Tool,
    Cue::Shop,
    Cue::Card,
];

/// Kinds whose share of the page counts.
const SHARE: [Cue; 8] = [
    Cue::Content,
    Cue::Related,
    Cue::Footer,
    Cue::Sidebar,
    Cue::Review,
    Cue::Form,
    Cue::Shop,
    Cue::Card,
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

/// What is clutter by its name.
pub(super) const NEGATIVE: u32 = Cue::Comment.bit()
    | Cue::Related.bit()
    | Cue::Share.bit()
    | Cue::Nav.bit()
    | Cue::Footer.bit()
    | Cue::Sidebar.bit()
    | Cue::Ad.bit()
    | Cue::Newsletter.bit()
    | Cue::Consent.bit()
    | Cue::Overlay.bit()
    | Cue::Pager.bit();

pub(super) struct Around;

impl Family for Around {
    fn add(&self, base: &Base<'_>, _: usize, chain: &[NodeId], row: &mut Row<'_>) {
        let mut near = [FAR; 32];
        let mut share = [0.0; 32];
        let mut landmark = [FAR; 32];
        let (mut seen, mut seen_landmarks) = (0u32, 0u32);
        let mut near_negative = FAR;
        let mut share_negative = 2.0f32;
        for (level, &id) in chain
            .iter()
            .enumerate()
            .take_while(|(_, id)| **id != base.body)
        {
            let (marks, level) = (base.marks(id), level as f32);
            let mut fresh = marks.cues & !seen;
            seen |= fresh;
            if fresh & NEGATIVE != 0 {
                near_negative = near_negative.min(level);
                share_negative = share_negative.min(base.share(id));
            }
            while fresh != 0 {
                let bit = fresh.trailing_zeros() as usize;
                near[bit] = level;
                share[bit] = base.share(id);
                fresh &= fresh - 1;
            }
            let mut fresh = marks.landmarks & !seen_landmarks;
            seen_landmarks |= fresh;
            while fresh != 0 {
                landmark[fresh.trailing_zeros() as usize] = level;
                fresh &= fresh - 1;
            }
        }
        for cue in NEAR {
            row.add_of("near", CUES[cue as usize], near[cue as usize]);
        }
        for cue in SHARE {
            row.add_of("share", CUES[cue as usize], share[cue as usize]);
        }
        for kind in NEAR_LANDMARKS {
            row.add_of("near", LANDMARKS[kind as usize], landmark[kind as usize]);
        }
        row.add("near_negative", near_negative);
        row.add("share_negative", share_negative);
    }
}
