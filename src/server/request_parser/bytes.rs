//! Classes of bytes in a request head.

/// RFC 9110 § 5.6.2. A table, because each byte of each name is looked up.
static TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        table[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~');
        byte += 1;
    }
    table
};

pub(in crate::server) fn is_token(byte: u8) -> bool {
    TOKEN[usize::from(byte)]
}

/// What a registered name may be written with (RFC 3986 § 3.2.2), percent signs excluded; brackets are for IPv6.
pub(super) fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~[]!$&'()*+;=".contains(&byte)
}

/// RFC 9110 § 5.5: no control character but a tab.
pub(super) fn is_field_value(byte: u8) -> bool {
    !byte.is_ascii_control() || byte == b'\t'
}
