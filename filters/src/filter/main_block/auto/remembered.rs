//! What was found out about the values of attributes that were met last: the elements of a page share theirs with their neighbours.

/// Answers by value; those of other values in the same place are forgotten.
pub(crate) struct Remembered<'a, T>(Vec<(&'a str, T)>);

impl<'a, T: Copy> Remembered<'a, T> {
    /// A power of two, more than an ordinary page has different ones.
    const PLACES: usize = 256;

    /// `of_nothing` is the answer to an empty value, with which every place begins.
    pub(crate) fn new(of_nothing: T) -> Remembered<'a, T> {
        Remembered(vec![("", of_nothing); Self::PLACES])
    }

    /// The answer to a value, found out where it is not known. It must be the same for the same value.
    pub(crate) fn of(&mut self, value: &'a str, find_out: impl FnOnce(&'a str) -> T) -> T {
        // Values that begin alike mostly differ in length or at their end.
        let end = match value.as_bytes().last_chunk() {
            Some(end) => u64::from_le_bytes(*end),
            None => value
                .bytes()
                .fold(0, |end, byte| end << 8 | u64::from(byte)),
        };
        // Multiplicative hashing (Knuth, *The Art of Computer Programming* 3, § 6.4), the golden ratio in 64 bits.
        let mixed = (end ^ value.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = usize::try_from(mixed >> 40).unwrap_or(0) % Self::PLACES;
        let (known, answer) = &mut self.0[place];
        if *known != value {
            (*known, *answer) = (value, find_out(value));
        }
        *answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_own_answer_whichever_was_met_before() {
        let values: Vec<String> = (0..2000).map(|number| format!("c-{number}-end")).collect();
        let mut remembered = Remembered::new(0);
        for _ in 0..2 {
            for value in &values {
                let answer = remembered.of(value, |value| {
                    value.len() * 31 + usize::from(value.as_bytes()[2])
                });
                assert_eq!(answer, value.len() * 31 + usize::from(value.as_bytes()[2]));
            }
        }
    }

    #[test]
    fn what_was_met_last_is_not_found_out_again() {
        let mut remembered = Remembered::new(0);
        assert_eq!(remembered.of("", |_| 2), 0);
        assert_eq!(remembered.of("card", |_| 1), 1);
        assert_eq!(remembered.of("card", |_| 2), 1);
    }
}
