//! Heads that differ from the head before in values only.
//!
//! The messages of one connection nearly always have the same names in the same order, and what is said of names is said of all
//! of them. To find out that they are the same takes a comparison of many bytes at once and one search for each value that is
//! another.

use std::ops::Range;

use memchr::{memchr, memrchr};

/// Compares a whole head, empty line included, with the bytes that begin with another. `each` gets what is the same of the one,
/// and the end of a value, its line end included, of the other that follows it. How long the other head is; none where it is
/// not whole, or names are not the same, or either is interim.
pub(super) fn compare(
    before: &[u8],
    now: &[u8],
    mut each: impl FnMut(Range<usize>, Range<usize>),
) -> Option<usize> {
    let (mut begun, mut begun_now) = (0, 0);
    loop {
        let length = same(&before[begun..], &now[begun_now..]);
        let (at, at_now) = (begun + length, begun_now + length);
        if at == before.len() {
            each(begun..at, at_now..at_now);
            return Some(at_now);
        }
        match memrchr(b'\n', &before[..at]) {
            // After a colon no more of the name follows.
            Some(line_end) => drop(memchr(b':', &before[line_end + 1..at])?),
            None if is_interim(before) || is_interim(now) => return None,
            None => {}
        }
        let end = at + memchr(b'\n', &before[at..])? + 1;
        let end_now = at_now + memchr(b'\n', &now[at_now..])? + 1;
        each(begun..at, at_now..end_now);
        (begun, begun_now) = (end, end_now);
    }
}

pub(super) fn is_interim(head: &[u8]) -> bool {
    // Of whatever version of HTTP/1.
    head.starts_with(b"HTTP/1.") && head.get(8..10) == Some(b" 1")
}

/// How many bytes they begin with that are the same.
fn same(one: &[u8], other: &[u8]) -> usize {
    let wide = one
        .as_chunks::<32>()
        .0
        .iter()
        .zip(other.as_chunks::<32>().0)
        .take_while(|(one, other)| one == other)
        .count()
        * 32;
    let (one, other) = (&one[wide..], &other[wide..]);
    let mut length = 0;
    for (eight, others) in one.as_chunks().0.iter().zip(other.as_chunks().0) {
        let differ = u64::from_le_bytes(*eight) ^ u64::from_le_bytes(*others);
        if differ != 0 {
            return wide + length + differ.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = one[length..].iter().zip(&other[length..]);
    wide + length + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "HTTP/1.1 200 OK\r\ndate: a day\r\nx: y: z\r\n\r\n";

    /// The other head as it is put together from what is told of it.
    fn put_together(before: &str, now: &str) -> Option<String> {
        let mut whole = Vec::new();
        let length = compare(before.as_bytes(), now.as_bytes(), |same, value| {
            whole.extend_from_slice(&before.as_bytes()[same]);
            whole.extend_from_slice(&now.as_bytes()[value]);
        })?;
        assert_eq!(length, whole.len());
        Some(String::from_utf8(whole).unwrap())
    }

    #[test]
    fn the_same_names_with_other_values_are_told_apart_from_other_names() {
        for now in [
            BEFORE,
            "HTTP/1.1 200 OK\r\ndate: another\r\nx: y: z\r\n\r\n",
            "HTTP/1.1 200 OK\r\ndate: a day\r\nx: \r\n\r\n",
            "HTTP/1.1 200 OK\r\ndate:\r\nx: y: z \r\n\r\n",
            "HTTP/1.1 404 No\r\ndate: a day or two, more than before\r\nx: y:\r\n\r\n",
        ] {
            let followed = format!("{now}date: of the body\r\n");
            assert_eq!(put_together(BEFORE, &followed).as_deref(), Some(now));
        }
        for now in [
            "HTTP/1.1 200 OK\r\ndata: a day\r\nx: y: z\r\n\r\n",
            "HTTP/1.1 200 OK\r\nx: y: z\r\n\r\n",
            "HTTP/1.1 200 OK\r\ndate: a day\r\n\r\n",
            "HTTP/1.1 200 OK\r\ndate: a day\r\nx: y: z\r\ny: z\r\n\r\n",
            "HTTP/1.1 200 OK\r\nDate: a day\r\nx: y: z\r\n\r\n",
            "HTTP/1.1 200 OK\r\ndate : a day\r\nx: y: z\r\n\r\n",
            "HTTP/1.1 103 OK\r\ndate: a day\r\nx: y: z\r\n\r\n",
        ] {
            assert_eq!(put_together(BEFORE, now), None, "{now}");
        }
        for end in 0..BEFORE.len() {
            assert_eq!(put_together(BEFORE, &BEFORE[..end]), None, "{end}");
        }
    }

    #[test]
    fn what_is_the_same_is_counted_to_the_byte() {
        let one = [7; 80];
        for length in 0..one.len() {
            let mut other = one;
            other[length] = 8;
            assert_eq!(same(&one, &other), length);
            assert_eq!(same(&one, &one[..length]), length);
        }
    }
}
