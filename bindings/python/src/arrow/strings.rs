//! Columns of strings, in every layout that Arrow has for them.

use std::str::{self, Utf8Error};

use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, StringViewArray, cast::AsArray,
};
use arrow_schema::DataType;

/// A column of strings. They stay where they are; their bytes are checked when they are read.
pub(super) enum Strings {
    /// Nulls only.
    Null,
    /// 32-bit offsets.
    Small(BinaryArray),
    /// 64-bit offsets.
    Large(LargeBinaryArray),
    /// Views.
    View(BinaryViewArray),
    /// Numbers of values, and the values.
    Dictionary { rows: Vec<Option<usize>>, values: Box<Strings> },
}

impl Strings {
    /// The strings of an array; nothing where its type is another one.
    pub(super) fn new(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Utf8 => Self::Small(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Self::Large(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => Self::View(StringViewArray::clone(array.as_string_view()).to_binary_view()),
            DataType::Binary => Self::Small(array.as_binary::<i32>().clone()),
            DataType::LargeBinary => Self::Large(array.as_binary::<i64>().clone()),
            DataType::BinaryView => Self::View(array.as_binary_view().clone()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let keys = dictionary.keys();
                let numbers =
                    if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
                let rows =
                    (0..keys.len()).map(|row| numbers.get(row).copied().filter(|_| keys.is_valid(row)));
                Self::Dictionary { rows: rows.collect(), values: Box::new(Self::new(dictionary.values())?) }
            }
            _ => return None,
        })
    }

    /// The text of a row: nothing for null, an error where its bytes are not UTF-8.
    pub(super) fn get(&self, row: usize) -> Option<Result<&str, Utf8Error>> {
        let bytes = match self {
            Self::Null => None,
            Self::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Dictionary { rows, values } => return values.get((*rows.get(row)?)?),
        };
        bytes.map(str::from_utf8)
    }
}
