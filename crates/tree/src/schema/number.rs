//! Numbers as JSON Schema compares them: by value, whatever way they are written.

use std::{cmp::Ordering, fmt};

use crate::tree::{Node, Scalar};

/// A number by its value: `2.0` is `2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A number without a fraction.
    Integer(i128),
    /// Any other number.
    Float(f64),
}

/// Beyond this, a floating-point number stays one.
const LARGEST_INTEGER: f64 = 1e36;

impl Number {
    /// The value of a node, if it is a number.
    pub(super) fn of(node: Node<'_>) -> Option<Self> {
        match node.scalar()? {
            Scalar::Integer(value) => Some(Self::Integer(value.into())),
            Scalar::Unsigned(value) => Some(Self::Integer(value.into())),
            Scalar::Float(value) => Some(value.into()),
            _ => None,
        }
    }

    /// The value of a number in a schema.
    pub(super) fn read(number: &serde_json::Number) -> Self {
        let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        integer.map_or_else(|| number.as_f64().unwrap_or(f64::NAN).into(), Self::Integer)
    }

    /// How it compares with another number; not at all with NaN.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(&other)),
            _ => self.approximate().partial_cmp(&other.approximate()),
        }
    }

    /// Whether division by `divisor` has an integer result. Fractions are compared as the decimal
    /// numbers that they are written as, so that `0.3` is a multiple of `0.1`.
    pub(super) fn is_multiple_of(self, divisor: Self) -> bool {
        let decimals = self.decimal().zip(divisor.decimal());
        let exact = decimals.and_then(|((dividend, scale), (divisor, other))| {
            let common = scale.max(other);
            let shifted = |digits: i128, scale: u32| digits.checked_mul(10_i128.checked_pow(common - scale)?);
            shifted(dividend, scale)?.checked_rem(shifted(divisor, other)?)
        });
        exact.map_or_else(|| self.approximate() % divisor.approximate() == 0.0, |rest| rest == 0)
    }

    /// Digits and the number of them after the decimal point; nothing where they do not fit.
    fn decimal(self) -> Option<(i128, u32)> {
        let written = self.to_string();
        let (whole, fraction) = written.split_once('.').unwrap_or((&written, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some((digits, u32::try_from(fraction.len()).ok()?))
    }

    #[allow(clippy::cast_precision_loss, reason = "compared with a number that has a fraction or is huge")]
    fn approximate(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() < LARGEST_INTEGER {
            Self::Integer(value as i128)
        } else {
            Self::Float(value)
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_exactly() {
        let large = |value: i64| Number::Integer(value.into());
        assert_eq!(
            large(9_007_199_254_740_993).compare(large(9_007_199_254_740_992)),
            Some(Ordering::Greater)
        );
        assert_eq!(Number::from(2.0).compare(Number::Integer(2)), Some(Ordering::Equal));
        assert_eq!(Number::from(1.5).compare(Number::Integer(2)), Some(Ordering::Less));
        assert_eq!(Number::from(f64::NAN).compare(Number::Integer(2)), None);
    }

    #[test]
    fn multiples_are_those_of_decimal_numbers() {
        let multiple = |value: f64, of: f64| Number::from(value).is_multiple_of(of.into());
        assert!(multiple(0.3, 0.1) && multiple(4.5, 1.5) && multiple(-6.0, 2.0) && multiple(1e300, 2.0));
        assert!(!multiple(0.35, 0.1) && !multiple(7.0, 2.0) && !multiple(1.0, 1e-300 * 3.0));
    }
}
