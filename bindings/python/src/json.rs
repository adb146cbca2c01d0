//! Values of JSON as Python objects.

use pyo3::{
    IntoPyObjectExt,
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyList},
};
use serde::Serialize;
use serde_json::{Number, Value};

/// What a value is in Python when it goes through JSON.
pub(crate) fn to_python<'py, T: Serialize + ?Sized>(
    py: Python<'py>,
    value: &T,
) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(value).map_err(|error| PyValueError::new_err(error.to_string()))?;
    object(py, &value)
}

/// A value of JSON as a Python object.
pub(crate) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::Number(number) => self::number(py, number),
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let list = PyList::empty(py);
            items.iter().try_for_each(|item| list.append(object(py, item)?))?;
            Ok(list.into_any())
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            entries.iter().try_for_each(|(key, value)| dict.set_item(key, object(py, value)?))?;
            Ok(dict.into_any())
        }
    }
}

fn number<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    match (number.as_i64(), number.as_u64()) {
        (Some(integer), _) => integer.into_bound_py_any(py),
        (None, Some(integer)) => integer.into_bound_py_any(py),
        (None, None) => number.as_f64().into_bound_py_any(py),
    }
}
