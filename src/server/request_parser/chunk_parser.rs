//! Strict parser of chunked bodies (RFC 9112 § 7.1): finds where one ends; what two readers could take for two sizes is an error.

use super::is_token;

/// Most bytes of one chunk's line, extensions included (RFC 9112 § 7.1.1 asks for a bound).
const MAX_CHUNK_LINE: usize = 4096;

/// Most digits of a chunk's size: as many as 64 bits have.
const MAX_CHUNK_DIGITS: usize = 16;

/// Most bytes of trailers, and most fields in them.
const MAX_TRAILERS: usize = 16 * 1024;

/// The state of one chunked body.
#[derive(Debug, Default)]
pub(in crate::server) struct ChunkParser {
    state: ChunkState,
    /// Bytes of the chunk's line, or of the trailers, so far.
    line: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ChunkState {
    #[default]
    SizeStart,
    Size(u64),
    ExtensionStart(u64),
    Extension(u64),
    SizeLf(u64),
    Data(u64),
    DataCr,
    DataLf,
    TrailerStart,
    Trailer,
    TrailerLf,
    EndLf,
    End,
}

impl ChunkParser {
    pub(in crate::server) fn is_end(&self) -> bool {
        self.state == ChunkState::End
    }

    /// How many of these bytes belong to the body; an error at the first that cannot.
    pub(in crate::server) fn advance(&mut self, bytes: &[u8]) -> Result<usize, &'static str> {
        let mut taken = 0;
        while taken < bytes.len() && !self.is_end() {
            if let ChunkState::Data(left) = self.state {
                let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - taken);
                taken += here;
                let left = left - here as u64;
                self.state = if left == 0 { ChunkState::DataCr } else { ChunkState::Data(left) };
            } else {
                self.state = self.step(bytes[taken])?;
                taken += 1;
            }
        }
        Ok(taken)
    }

    fn step(&mut self, byte: u8) -> Result<ChunkState, &'static str> {
        use ChunkState as S;
        self.line += 1;
        let next = match (self.state, byte) {
            (S::SizeStart, _) => S::Size(digit(byte).ok_or("a chunk has no size")?),
            (S::Size(size) | S::Extension(size), b'\r') => S::SizeLf(size),
            (S::Size(size), b';') | (S::ExtensionStart(size), b'\t' | b' ') => S::ExtensionStart(size),
            // RFC 9112 § 7.1.1: it has a name.
            (S::ExtensionStart(size), _) if is_token(byte) => S::Extension(size),
            (S::Extension(size), b'\t' | b' '..=b'~' | 0x80..) => S::Extension(size),
            (S::Size(size), _) => {
                let digit = digit(byte).ok_or("a chunk's size is not a number")?;
                // Sixteen digits would still fit; no one sends 2^60 bytes. Leading zeros count: another reader
                // may count them.
                if size >> 56 != 0 || self.line > MAX_CHUNK_DIGITS {
                    return Err("a chunk's size is too large");
                }
                S::Size(size << 4 | digit)
            }
            (S::SizeLf(0) | S::TrailerLf, b'\n') => S::TrailerStart,
            (S::SizeLf(size), b'\n') => S::Data(size),
            (S::DataCr, b'\r') => S::DataLf,
            (S::DataLf, b'\n') => S::SizeStart,
            (S::TrailerStart, b'\r') => S::EndLf,
            (S::TrailerStart | S::Trailer, b'\t' | b' '..=b'~' | 0x80..) => S::Trailer,
            (S::Trailer, b'\r') => S::TrailerLf,
            (S::EndLf, b'\n') => S::End,
            _ => return Err("a chunk is malformed"),
        };
        let most = match next {
            S::Size(_) | S::ExtensionStart(_) | S::Extension(_) => MAX_CHUNK_LINE,
            _ => MAX_TRAILERS,
        };
        if self.line > most {
            return Err("a chunk's line or the trailers are too long");
        }
        if matches!(next, S::Data(_) | S::SizeStart) || self.state == S::SizeLf(0) {
            self.line = 0;
        }
        Ok(next)
    }
}

fn digit(byte: u8) -> Option<u64> {
    char::from(byte).to_digit(16).map(u64::from)
}
