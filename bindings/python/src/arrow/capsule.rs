//! Arrow data that goes into Python and comes from it: `__arrow_c_stream__` and `__arrow_c_array__` of the `PyCapsule`
//! interface. The only unsafe code of this package.
#![allow(unsafe_code, reason = "Arrow's interface between libraries is written in C")]

use std::ffi::CStr;

use arrow_array::{
    Array, ArrayReader, ArrayRef, RecordBatch, RecordBatchIterator,
    cast::AsArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi},
    ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream},
    make_array,
};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyCapsule, PyTuple},
};

use super::results::versioned;

const STREAM: &CStr = c"arrow_array_stream";
const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";

/// Arrays of one type that come one after the other.
pub(crate) struct Stream {
    pub(super) data_type: DataType,
    pub(super) arrays: Box<dyn Iterator<Item = Result<ArrayRef, ArrowError>> + Send>,
}

/// The data of an object with the `PyCapsule` interface.
pub(crate) fn stream_of(data: &Bound<'_, PyAny>) -> PyResult<Stream> {
    if data.hasattr("__arrow_c_stream__")? {
        let capsule = data.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: a capsule of this name points to a stream that the receiver may move out of it; what stays is
        // marked as released, so that the capsule does not release it again.
        let reader = unsafe { ArrayStreamReader::from_raw(pointer.as_ptr()) };
        let reader = reader.map_err(invalid)?;
        return Ok(Stream { data_type: reader.field().data_type().clone(), arrays: Box::new(reader) });
    }
    if data.hasattr("__arrow_c_array__")? {
        let pair = data.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
        let schema = pair.get_item(0)?.cast_into::<PyCapsule>()?;
        let array = pair.get_item(1)?.cast_into::<PyCapsule>()?;
        let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
        let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
        // SAFETY: capsules of these names point to an array, which the receiver may move out, and to its schema, which
        // is only read while the capsule is alive.
        let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
        let array = make_array(data.map_err(invalid)?);
        return Ok(Stream {
            data_type: array.data_type().clone(),
            arrays: Box::new(std::iter::once(Ok(array))),
        });
    }
    let name = data.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!(
        "`{name}` has no Arrow data: give a table, a record batch, an array or a series of pyarrow, polars, pandas or DuckDB"
    )))
}

/// An error in Arrow data.
pub(crate) fn invalid(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Results of `check_arrow`: a table with one row for each document. It has the `PyCapsule` interface of Arrow, so
/// `pyarrow.table(results)` and `polars.DataFrame(results)` read it without copying.
#[pyclass(frozen, module = "proofmark_rs")]
pub(crate) struct Results {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Results {
    /// Results in these batches.
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }
}

#[pymethods]
impl Results {
    /// The data as a stream of the C interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer that offers one schema may ignore what is requested.
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }

    /// The schema of the C interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(invalid)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// As an Arrow stream that pyarrow writes and reads.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("proofmark_rs._pickling")?.call_method1("reduced", (slf,))
    }

    fn __copy__(&self) -> Self {
        Self::new(self.schema.clone(), self.batches.clone())
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> Self {
        // Arrow data does not change.
        let _ = memo;
        self.__copy__()
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        format!("<Results {} rows: {}>", self.__len__(), names.join(", "))
    }
}

/// The results in Arrow data that `pickle` has kept.
#[pyfunction]
#[pyo3(name = "_results")]
pub(crate) fn results(data: &Bound<'_, PyAny>) -> PyResult<Results> {
    let Stream { data_type, arrays } = stream_of(data)?;
    let DataType::Struct(fields) = data_type else {
        return Err(PyValueError::new_err("results are a table"));
    };
    let schema = versioned(fields);
    let batch = |array: Result<ArrayRef, ArrowError>| {
        let columns = array?.as_struct().columns().to_vec();
        RecordBatch::try_new(schema.clone(), columns)
    };
    let batches = data.py().detach(|| arrays.map(batch).collect::<Result<Vec<_>, _>>()).map_err(invalid)?;
    Ok(Results::new(schema, batches))
}
