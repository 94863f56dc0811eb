//! Which date of a post is its own: beside it stand when its writer came here, when it was changed, and when others commented on it.
//!
//! It stands at one place in most posts. Where several do, that one where no post has two different dates (those are of comments), then
//! the surest (`posts/signs.rs`), then the one whose dates follow each other down the page: posts do, and the days on
//! which their writers came do not. Of equals one that tells the hour, and the one that differs most. Where no such place is found, one is looked for
//! whose elements share only their first classes: programs give the question's own card, or that of its author below
//! an answer, one more.

use std::collections::{HashMap, HashSet};

use html5ever::local_name;

use super::{
    Talk,
    around::text_of,
    key,
    outside::Outside,
    when::{LABELLED, has_clock, is_clock},
};
use crate::{
    filter::main_block::auto::{blocks::Blocks, thread::posts::signs::Sign},
    page::{NodeId, Page},
};

/// Share of the posts in which the dates stand at one place.
const DATED: f32 = 0.8;

/// The least sure date that is taken wherever it stands in a post.
const SURE: u8 = 2;

/// Different dates at one place of one post from which they are of comments in any case: what was written and changed is two.
const COMMENTS: usize = 3;

/// Elements from a date up to its post: a bound on the work.
const MAX_LEVELS: usize = 30;

/// Where most posts are dated.
#[derive(Default)]
pub(super) struct Dates {
    /// By the element of a date: whether it stands where most posts have theirs.
    own: HashSet<NodeId>,
    /// Those of comments.
    of_comments: HashSet<NodeId>,
}

/// A date outside of the bodies.
struct Seen<'a> {
    sign: &'a Sign,
    post: NodeId,
    value: String,
    /// The way down to it by all classes, and by the first ones.
    places: [u64; 2],
}

/// What is known of the dates at one place.
#[derive(Default)]
struct Tally {
    ranks: usize,
    signs: usize,
    clocks: usize,
    posts: usize,
    last: NodeId,
    values: HashSet<String>,
    /// Those of the last post.
    of_post: Vec<String>,
    /// Most different ones in one post.
    most: usize,
    /// Steps from one post to the next that lead to later and to earlier times, where a machine can tell.
    up: usize,
    down: usize,
}

impl Tally {
    fn add(&mut self, seen: &Seen<'_>, text: &str) {
        self.ranks += usize::from(seen.sign.rank) + usize::from(is_clock(text));
        self.clocks += usize::from(has_clock(text));
        self.signs += 1;
        if self.last != seen.post {
            if let Some(before) = self.of_post.first().filter(|one| is_machines(one))
                && is_machines(&seen.value)
            {
                self.up += usize::from(*before < seen.value);
                self.down += usize::from(*before > seen.value);
            }
            self.posts += 1;
            self.last = seen.post;
            self.of_post.clear();
        }
        if !self.of_post.contains(&seen.value) && self.of_post.len() < COMMENTS {
            self.of_post.push(seen.value.clone());
        }
        self.most = self.most.max(self.of_post.len());
        self.values.insert(seen.value.clone());
    }

    /// Whether they are days behind a label: "Joined: 3 May 2010".
    fn is_of_person(&self) -> bool {
        self.clocks * 2 < self.signs && self.ranks >= self.signs * usize::from(LABELLED)
    }

    /// The lower, the likelier are these the dates of the posts.
    fn doubt(&self) -> (usize, usize, bool, usize) {
        let varies = usize::MAX - self.values.len();
        (
            self.ranks / self.signs.max(1),
            self.up.min(self.down),
            self.clocks * 2 < self.signs,
            varies,
        )
    }
}

impl Dates {
    pub(super) fn of(page: &Page, blocks: &Blocks, talk: &Talk, outside: &Outside) -> Dates {
        let all: Vec<Seen<'_>> = talk
            .dates
            .iter()
            .filter_map(|sign| {
                let index = outside.block(page, sign.element)?;
                let container = blocks.list[index].container;
                let post = talk.owners.of_node(container).unwrap_or_default();
                let places = [
                    talk.places.place(container),
                    loose_place(page, post, container),
                ];
                let value = value(page, sign.element);
                Some(Seen {
                    sign,
                    post,
                    value,
                    places,
                })
            })
            .collect();
        let mut dates = Dates::default();
        let least = DATED * talk.posts.len() as f32;
        let in_bodies: HashSet<Option<NodeId>> = talk
            .dates_in_bodies(page)
            .map(|date| talk.owners.of_node(date.element))
            .collect();
        let is_told_in_body = in_bodies.len() as f32 >= least;
        for way in 0..2 {
            let mut tallies: HashMap<u64, (usize, Tally)> = HashMap::new();
            for (at, seen) in all.iter().enumerate() {
                let (_, tally) = tallies
                    .entry(seen.places[way])
                    .or_insert_with(|| (at, Tally::default()));
                tally.add(seen, &text_of(page, seen.sign.element));
            }
            if way == 0 {
                let is_of_comments =
                    |seen: &&Seen<'_>| tallies[&seen.places[way]].1.most >= COMMENTS;
                let comments = all.iter().filter(is_of_comments);
                dates.of_comments = comments.map(|seen| seen.sign.element).collect();
            }
            let own = tallies
                .iter()
                .filter(|(_, (_, tally))| {
                    tally.posts as f32 >= least
                        && tally.most == 1
                        && !(is_told_in_body && tally.is_of_person())
                })
                .min_by_key(|(_, (at, tally))| (tally.doubt(), *at));
            if let Some((&place, _)) = own {
                let own = all.iter().filter(|seen| seen.places[way] == place);
                dates.own = own.map(|seen| seen.sign.element).collect();
                break;
            }
        }
        dates
    }

    /// The date of a post.
    pub(super) fn of_post<'a>(
        &self,
        page: &'a Page,
        talk: &'a Talk,
        outside: &Outside,
        post: NodeId,
    ) -> Option<&'a Sign> {
        let dates = || {
            let dates = talk.owners.signs(page, post, &talk.dates);
            dates.filter(|date| outside.block(page, date.element).is_some())
        };
        let first = |date: &&Sign| (date.rank, date.element);
        dates()
            .filter(|date| self.own.contains(&date.element))
            .min_by_key(first)
            .or_else(|| {
                let may_be =
                    |date: &&Sign| date.rank <= SURE && !self.of_comments.contains(&date.element);
                dates().filter(may_be).min_by_key(first)
            })
    }
}

/// A date as a machine reads it, where the page says so, else its text.
fn value(page: &Page, id: NodeId) -> String {
    let told = [local_name!("datetime"), local_name!("title")];
    told.iter()
        .filter_map(|name| page.attribute(id, name))
        .find(|value| is_machines(value))
        .map_or_else(|| text_of(page, id), str::to_owned)
}

/// `2026-05-03` and so on: what is later is greater.
pub(super) fn is_machines(value: &str) -> bool {
    let pattern = b"0000-00-00";
    value.len() >= pattern.len()
        && value
            .bytes()
            .zip(pattern)
            .all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                wanted => byte == *wanted,
            })
}

/// The way up from an element to its post, by tags and first classes.
pub(super) fn loose_place(page: &Page, post: NodeId, id: NodeId) -> u64 {
    std::iter::once(id)
        .chain(page.ancestors(id))
        .take(MAX_LEVELS)
        .take_while(|&up| up != post)
        .fold(1, |place, up| {
            let class = page.attribute(up, &local_name!("class")).unwrap_or("");
            key(
                page,
                up,
                class.split_ascii_whitespace().next().unwrap_or(""),
                place,
            )
        })
}

#[cfg(test)]
mod tests {
    use super::super::{Talk, around::Around};
    use crate::{
        filter::main_block::auto::{blocks::Blocks, thread::posts::signs::Signs},
        kind::KindNow,
        testing::page_at,
    };

    /// The names and dates that are shown of a forum's page.
    fn shown(html: &str) -> Vec<String> {
        let page = page_at("https://forum.example.org/t/bridge/12", html);
        let blocks = Blocks::of(&page, &[]);
        let kept = vec![true; blocks.list.len()];
        let kind = KindNow::of(&page);
        let talk = Talk::of(&page, &blocks, &kind, &Signs::default(), &kept).unwrap();
        let around = Around::of(&page, &blocks, &talk, &kept);
        let texts = around.texts.iter().filter_map(|&id| page.text(id));
        texts.map(|text| text.trim().to_owned()).collect()
    }

    const SAID: &str = "By a toll, for sixty years, and then by the county when nobody would pay.";

    #[test]
    fn the_day_on_which_a_writer_came_is_no_date_of_a_post() {
        // Both days say what they are in the same way, and those on which the writers came differ more.
        let post = |name: &str, came: &str, minute: usize| {
            format!(
                "<div class=post><div class=panel><a class=username href=/u/{name}>{name}</a><ul><li><time datetime={came}>{came}</time></ul></div>\
                 <div class=main><p>Posted <time datetime=2026-05-03T10:{minute}:00Z>3 May</time></p><div class=text><p>{name}: {SAID}</p></div></div></div>"
            )
        };
        let html = [
            post("Ann", "2020-01-07", 10),
            post("Bo", "2009-04-10", 11),
            post("Cy", "2018-01-19", 12),
        ];
        let shown = shown(&html.concat());
        assert!(shown.iter().any(|text| text == "3 May"), "{shown:?}");
        assert!(
            !shown.iter().any(|text| text.starts_with("20")),
            "{shown:?}"
        );
    }

    #[test]
    fn the_date_of_a_comment_is_no_date_of_the_post_above_it() {
        let comment = |minute: usize| {
            format!(
                "<li>Not so, I think, and nobody else does who has read it. <span class=relativetime title='2026-05-04 10:{minute}:00Z'>May 4, 10:{minute}</span></li>"
            )
        };
        let comments: String = (10..14).map(comment).collect();
        // The cards of the question and of its author below an answer bear one class more.
        let post = |name: &str, day: usize, card: &str, also: &str| {
            format!(
                "<div class=post><div class=layout><div class=text><p>{name}: {SAID}</p></div>\
                 <div class='{card}'>{also}<p>answered <span class=relativetime title='2026-05-0{day} 09:00:00Z'>May {day}, 2026</span></p><p><a class=username href=/u/{name}>{name}</a></p></div></div>\
                 <ul class=comments>{comments}</ul></div>"
            )
        };
        let html = [
            post("Ann", 1, "card owner", ""),
            post("Bo", 3, "card", ""),
            post(
                "Ann",
                2,
                "card owner",
                "<p>edited <span class=relativetime title='2026-05-09 09:00:00Z'>May 9, 2026</span></p>",
            ),
        ];
        let shown = shown(&html.concat());
        let dates: Vec<&String> = shown
            .iter()
            .filter(|text| text.starts_with("May"))
            .collect();
        assert_eq!(dates, ["May 1, 2026", "May 3, 2026", "May 2, 2026"]);
    }
}
