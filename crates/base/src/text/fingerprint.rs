/// A hash that is stable across versions, machines and runs: FNV-1a, 64 bits.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The hash of no input.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a string and a terminator, so that `ab`, `c` differs from `a`, `bc`.
    pub fn add(&mut self, text: &str) -> &mut Self {
        self.add_bytes(text.bytes().chain([0xFF]))
    }

    /// Adds bytes without an end mark.
    pub fn add_bytes(&mut self, bytes: impl IntoIterator<Item = u8>) -> &mut Self {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        self
    }

    /// Sixteen hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}
