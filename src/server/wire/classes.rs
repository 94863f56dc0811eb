//! Classes of bytes, as a table: every byte of a head is asked for.

/// What a byte may be part of: a token (RFC 9110 § 5.6.2), and what of hosts and paths (RFC 3986 § 3) is never doubtful.
pub(super) const TOKEN: u8 = 1;
pub(super) const HOST: u8 = 2;
pub(super) const DIGIT: u8 = 4;
pub(super) const PATH: u8 = 8;

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
    table = with(table, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", TOKEN | PATH);
    table = with(table, b"abcdefghijklmnopqrstuvwxyz", TOKEN | PATH | HOST);
    table = with(table, b"0123456789", TOKEN | PATH | HOST | DIGIT);
    table = with(table, b"!#$%&'*+-.^_`|~", TOKEN);
    table = with(table, b"-.", HOST);
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
