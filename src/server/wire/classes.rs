//! Classes of bytes, as a table: every byte of a head is asked for.

/// What a byte may be part of: a token (RFC 9110 § 5.6.2), and what of hosts and paths (RFC 3986 § 3) is never doubtful.
pub(super) const TOKEN: u8 = 1;
pub(super) const HOST: u8 = 2;
pub(super) const DIGIT: u8 = 4;
pub(super) const PATH: u8 = 8;
/// What a host may be written with, doubtful or not.
pub(super) const ANY_HOST: u8 = 16;

/// As a table: every byte of a head is asked for.
const CLASSES: [u8; 256] = {
    const fn with<const N: usize>(mut table: [u8; 256], bytes: &[u8; N], class: u8) -> [u8; 256] {
        let mut at = 0;
        while at < N {
            table[bytes[at] as usize] |= class;
            at += 1;
        }
        table
    }
    let mut table = [0; 256];
    table = with(
        table,
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        TOKEN | PATH | ANY_HOST,
    );
    table = with(
        table,
        b"abcdefghijklmnopqrstuvwxyz",
        TOKEN | PATH | HOST | ANY_HOST,
    );
    table = with(table, b"0123456789", TOKEN | PATH | HOST | DIGIT | ANY_HOST);
    table = with(table, b"!#$%&'*+-.^_`|~", TOKEN);
    table = with(table, b"-.", HOST);
    table = with(table, b"-._~[]!$&'()*+;=", ANY_HOST);
    with(table, b"-._~!$&'()*+,;=:@/%?", PATH)
};

/// How many bytes at the start are of a class.
pub(super) fn length_of(bytes: &[u8], class: u8) -> usize {
    let other = |byte: &u8| CLASSES[usize::from(*byte)] & class == 0;
    bytes.iter().position(other).unwrap_or(bytes.len())
}

pub(in crate::server) fn is_token(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & TOKEN != 0
}

/// How many bytes there are before the first control character; a tab is none here (RFC 9110 § 5.5).
pub(super) fn until_control(bytes: &[u8]) -> usize {
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    let mut at = 0;
    // Eight at once, as one number: "Determine if a word has a byte less than n", S. E. Anderson, Bit Twiddling Hacks. What
    // is carried from byte to byte goes upwards only, so the lowest byte that is found is one.
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        const ONES: u64 = u64::MAX / 255;
        let word = u64::from_le_bytes(*word);
        let less = |word: u64, than: u64| word.wrapping_sub(ONES * than) & !word & (ONES << 7);
        let found = less(word, 0x20) | less(word ^ (ONES * 0x7f), 1);
        if found == 0 {
            at += 8;
            continue;
        }
        at += found.trailing_zeros() as usize / 8;
        if bytes[at] != b'\t' {
            return at;
        }
        at += 1;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(is_control).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::until_control;

    #[test]
    fn the_first_control_character_is_found_wherever_it_stands() {
        for length in 0..40_usize {
            for at in 0..=length {
                for byte in 0..=255_u8 {
                    let mut bytes = vec![b'a'; length];
                    // Those above 127 are no control characters, and carry nothing over.
                    bytes.iter_mut().step_by(3).for_each(|byte| *byte = 0xff);
                    bytes.iter_mut().step_by(5).for_each(|byte| *byte = b'\t');
                    let mut expected = length;
                    if at < length {
                        bytes[at] = byte;
                        if byte.is_ascii_control() && byte != b'\t' {
                            expected = at;
                        }
                    }
                    assert_eq!(until_control(&bytes), expected, "{bytes:?}");
                }
            }
        }
    }
}
