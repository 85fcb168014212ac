//! Finds the end of a request body, and counts its framing overhead.

/// The maximum number of digits in a chunk size. More digits are leading zeros, and count as overhead.
const DIGITS: u8 = 16;

/// The bytes are not a valid chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// How the end of a body is determined.
#[derive(Debug)]
pub(super) enum Framing {
    /// By `Content-Length`: the number of remaining bytes.
    Length(u64),
    /// By chunked encoding.
    Chunked(Chunks),
    /// By the end of the connection: the number of bytes received.
    Endless(u64),
}

impl Framing {
    /// The number of these bytes that belong to the body.
    ///
    /// # Errors
    /// [`Malformed`] if the bytes cannot be part of a body.
    pub(super) fn take(&mut self, received: &[u8]) -> Result<usize, Malformed> {
        match self {
            Self::Length(left) => {
                let taken = received.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= taken as u64;
                Ok(taken)
            }
            Self::Chunked(chunks) => chunks.take(received),
            Self::Endless(taken) => {
                *taken += received.len() as u64;
                Ok(received.len())
            }
        }
    }

    /// Whether the body is complete.
    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::Length(left) => *left == 0,
            Self::Chunked(chunks) => chunks.at == At::End,
            Self::Endless(_) => false,
        }
    }

    /// Whether the body exceeds `largest`, or exceeds `limit` together with its chunk extensions and trailers, which
    /// are ignored. A body that is too large without them is refused by its reader.
    pub(super) fn is_beyond(&self, limit: u64, largest: u64) -> bool {
        match self {
            Self::Length(_) => false,
            Self::Chunked(chunks) => {
                chunks.taken > largest || chunks.beside > 0 && chunks.taken + chunks.beside > limit
            }
            Self::Endless(taken) => *taken > largest,
        }
    }
}

/// The next element of a chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    FirstDigit,
    Size,
    Extension,
    SizeEnd,
    Data,
    DataCr,
    DataLf,
    Trailers,
    Trailer,
    TrailerLf,
    LastLf,
    End,
}

/// The parser of a chunked body.
#[derive(Debug)]
pub(super) struct Chunks {
    at: At,
    left: u64,
    digits: u8,
    /// Bytes of the body.
    taken: u64,
    /// Bytes of chunk extensions and trailers.
    beside: u64,
}

impl Chunks {
    pub(super) fn new() -> Self {
        Self { at: At::FirstDigit, left: 0, digits: 0, taken: 0, beside: 0 }
    }

    fn take(&mut self, received: &[u8]) -> Result<usize, Malformed> {
        let mut used = 0;
        while used < received.len() && self.at != At::End {
            if self.at == At::Data {
                let taken = (received.len() - used).min(usize::try_from(self.left).unwrap_or(usize::MAX));
                used += taken;
                self.left -= taken as u64;
                self.taken += taken as u64;
                if self.left == 0 {
                    self.at = At::DataCr;
                }
            } else {
                self.at = self.step(received[used])?;
                used += 1;
            }
        }
        Ok(used)
    }

    /// The state after this byte.
    fn step(&mut self, byte: u8) -> Result<At, Malformed> {
        Ok(match (self.at, byte) {
            (At::FirstDigit, _) => {
                (self.left, self.digits) = (0, 0);
                self.digit(byte).ok_or(Malformed)?
            }
            (At::Size | At::Extension, b'\r') => At::SizeEnd,
            (At::Size, b';' | b' ' | b'\t') => self.beside(At::Extension),
            (At::Size, _) => self.digit(byte).ok_or(Malformed)?,
            (At::Extension, b'\t' | b' '..=b'~' | 0x80..) => self.beside(At::Extension),
            (At::SizeEnd, b'\n') if self.left == 0 => At::Trailers,
            (At::SizeEnd, b'\n') => At::Data,
            (At::DataCr, b'\r') => At::DataLf,
            (At::DataLf, b'\n') => At::FirstDigit,
            (At::Trailers, b'\r') => At::LastLf,
            (At::Trailer, b'\r') => At::TrailerLf,
            (At::TrailerLf, b'\n') => At::Trailers,
            (At::LastLf, b'\n') => At::End,
            (At::Trailers | At::Trailer, b'\t' | b' '..=b'~' | 0x80..) => self.beside(At::Trailer),
            _ => return Err(Malformed),
        })
    }

    fn digit(&mut self, byte: u8) -> Option<At> {
        let digit = char::from(byte).to_digit(16)?;
        self.left = self.left.checked_mul(16)? | u64::from(digit);
        self.digits = self.digits.saturating_add(1);
        Some(if self.digits > DIGITS { self.beside(At::Size) } else { At::Size })
    }

    fn beside(&mut self, next: At) -> At {
        self.beside += 1;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn chunked() -> Framing {
        Framing::Chunked(Chunks::new())
    }

    /// Takes the bytes in pieces. Returns how many belong to the body, and whether the body is complete.
    fn take(mut framing: Framing, bytes: &[u8], piece: usize) -> Result<(usize, bool), Malformed> {
        let mut used = 0;
        for piece in bytes.chunks(piece) {
            let taken = framing.take(piece)?;
            used += taken;
            if taken < piece.len() {
                break;
            }
        }
        Ok((used, framing.is_done()))
    }

    #[rstest]
    #[case::one_chunk("3\r\nabc\r\n0\r\n\r\n", "GET")]
    #[case::several("1\r\na\r\nA\r\n0123456789\r\n0\r\n\r\n", "")]
    #[case::extensions("3;name=\"value\"\r\nabc\r\n0;last\r\n\r\n", "GET")]
    #[case::trailers("3\r\nabc\r\n0\r\nOne: 1\r\nTwo: 2\r\n\r\n", "GET")]
    #[case::ends_of_lines_within("4\r\n\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n")]
    #[case::nothing("0\r\n\r\n", "3\r\nabc")]
    fn a_chunked_body_ends_where_the_next_request_begins(#[case] body: &str, #[case] next: &str) {
        let both = format!("{body}{next}");
        for piece in 1..=both.len() {
            assert_eq!(take(chunked(), both.as_bytes(), piece), Ok((body.len(), true)), "in pieces of {piece}");
        }
    }

    #[rstest]
    #[case("x\r\n")]
    #[case("\r\n")]
    #[case("-1\r\n")]
    #[case("3\nabc\r\n0\r\n\r\n")]
    #[case("3\r\nabcd\r\n0\r\n\r\n")]
    #[case("3;a\0b\r\nabc\r\n")]
    #[case("0\r\nOne: 1\n\r\n")]
    #[case("fffffffffffffffff\r\n")]
    fn a_malformed_chunked_body_is_reported(#[case] body: &str) {
        assert_eq!(take(chunked(), body.as_bytes(), 1), Err(Malformed));
    }

    #[rstest]
    #[case::extension(format!("3;{}\r\nabc", "x".repeat(98)), true)]
    #[case::small_extension(format!("3;{}\r\nabc", "x".repeat(96)), false)]
    #[case::spaces(format!("3{}\r\nabc", " ".repeat(98)), true)]
    #[case::zeros(format!("{}3\r\nabc", "0".repeat(120)), true)]
    #[case::trailer(format!("3\r\nabc\r\n0\r\nx: {}", "x".repeat(98)), true)]
    #[case::many_small_trailers(format!("3\r\nabc\r\n0\r\n{}", "x: x\r\n".repeat(50)), true)]
    #[case::only_the_body(format!("80\r\n{}", "x".repeat(128)), false)]
    #[case::many_small_chunks("1\r\nx\r\n".repeat(100), false)]
    #[case::more_than_any_body(format!("100\r\n{}", "x".repeat(201)), true)]
    fn what_comes_beside_the_body_counts_with_it(#[case] body: String, #[case] beyond: bool) {
        let mut framing = chunked();
        framing.take(body.as_bytes()).unwrap();
        assert_eq!(framing.is_beyond(100, 200), beyond);
    }

    #[test]
    fn a_body_of_a_known_length_ends_after_it() {
        assert_eq!(take(Framing::Length(5), b"12345GET", 3), Ok((5, true)));
        assert_eq!(take(Framing::Length(5), b"1234", 3), Ok((4, false)));
        assert!(!Framing::Length(u64::MAX).is_beyond(1, 1), "its length is checked by its reader");
    }

    #[test]
    fn a_body_without_an_end_is_no_larger_than_others() {
        let mut framing = Framing::Endless(0);
        assert_eq!((framing.take(&[0; 200]), framing.is_done(), framing.is_beyond(1, 200)), (Ok(200), false, false));
        framing.take(b"x").unwrap();
        assert!(framing.is_beyond(1, 200));
    }
}
