//! The rows of a query: each becomes a value when it arrives.
use super::fault::Fault;
use crate::error::internal;
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::result::Error as DieselError;
use diesel::row::{Field, PartialRow, Row as DieselRow, RowIndex, RowSealed};
use domain::ports::{StoreError, StoreResult};
use futures_util::TryStreamExt;
use std::any::Any;
use std::error::Error as StdError;
use std::num::NonZeroU32;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Column, Row, RowStream};

/// The most rows that the thread of a request receives itself.
const FEW: usize = 32;

/// Reads the rows of a query. What receives them is compiled once, not for each type of their values.
pub(crate) trait RowReader: Any + Send {
    /// Reads the next row.
    fn read(&mut self, row: &PgRow);
}

/// The rows of a query as values of `U`, or the error of the first row that is not one.
struct Found<U> {
    rows: deserialize::Result<Vec<U>>,
    read: fn(&PgRow) -> deserialize::Result<U>,
}

impl<U: Send + 'static> RowReader for Found<U> {
    fn read(&mut self, row: &PgRow) {
        let Ok(rows) = &mut self.rows else { return };
        match (self.read)(row) {
            Ok(value) => rows.push(value),
            Err(error) => self.rows = Err(error),
        }
    }
}

/// A reader of rows as values of `U`; [`values`] returns them.
pub(super) fn reader<U: FromSqlRow<ST, Pg> + Send + 'static, ST>() -> Box<dyn RowReader> {
    Box::new(Found { rows: Ok(Vec::new()), read: value::<U, ST> })
}

fn value<U: FromSqlRow<ST, Pg>, ST>(row: &PgRow) -> deserialize::Result<U> {
    U::build_from_row(row)
}

/// The values that a [`reader`] of the same type has read.
pub(super) fn values<U: Send + 'static>(reader: Box<dyn RowReader>) -> StoreResult<Vec<U>> {
    let reader: Box<dyn Any> = reader;
    match reader.downcast::<Found<U>>() {
        Ok(found) => found.rows.map_err(unreadable),
        Err(_) => Err(internal("the rows were read as values of another type")),
    }
}

fn unreadable(error: Box<dyn StdError + Send + Sync>) -> StoreError {
    Fault::Form(DieselError::DeserializationError(error)).into_store_error()
}

/// The rows of a query that was sent, and what reads them.
pub(super) struct Answer {
    rows: Pin<Box<RowStream>>,
    types: Option<Arc<[NonZeroU32]>>,
    reader: Box<dyn RowReader>,
}

impl Answer {
    pub(super) fn new(rows: RowStream, reader: Box<dyn RowReader>) -> Self {
        Self { rows: Box::pin(rows), types: None, reader }
    }

    /// Reads all rows.
    ///
    /// Rows arrive in packets of 8 KiB. A task on the runtime of the driver receives those of a long list: the driver
    /// passes them to it on the same thread. The thread of the request would be woken for each packet, which takes
    /// longer than reading it; now it is woken once. If the caller no longer waits, the task ends with the statement,
    /// which is cancelled then.
    pub(super) async fn read(mut self, runtime: &Handle) -> Result<Box<dyn RowReader>, Fault> {
        if !self.read_up_to(FEW).await? {
            return Ok(self.reader);
        }
        let rest = runtime.spawn(async move { self.read_up_to(usize::MAX).await.map(|_| self.reader) });
        rest.await.unwrap_or_else(|error| Err(Fault::Form(DieselError::DeserializationError(error.into()))))
    }

    /// Reads the next rows, and returns whether there can be more.
    async fn read_up_to(&mut self, most: usize) -> Result<bool, Fault> {
        for _ in 0..most {
            let Some(row) = self.rows.try_next().await.map_err(Fault::Server)? else { return Ok(false) };
            let types = self.types.get_or_insert_with(|| types_of(row.columns()));
            self.reader.read(&PgRow { types: Arc::clone(types), row });
        }
        Ok(true)
    }
}

/// The types of columns, by their ids in PostgreSQL.
fn types_of(columns: &[Column]) -> Arc<[NonZeroU32]> {
    columns.iter().map(|column| NonZeroU32::new(column.type_().oid()).unwrap_or(NonZeroU32::MAX)).collect()
}

/// A row, readable by diesel.
pub(crate) struct PgRow {
    row: Row,
    /// The types of the columns.
    types: Arc<[NonZeroU32]>,
}

impl RowSealed for PgRow {}

impl<'a> DieselRow<'a, Pg> for PgRow {
    type InnerPartialRow = Self;
    type Field<'f>
        = PgField<'f>
    where
        Self: 'f,
        'a: 'f;

    fn field_count(&self) -> usize {
        self.row.len()
    }

    fn get<'f, I>(&'f self, at: I) -> Option<PgField<'f>>
    where
        'a: 'f,
        Self: RowIndex<I>,
    {
        self.idx(at).map(|at| PgField { row: self, at })
    }

    fn partial_row(&self, range: Range<usize>) -> PartialRow<'_, Self> {
        PartialRow::new(self, range)
    }
}

impl RowIndex<usize> for PgRow {
    fn idx(&self, at: usize) -> Option<usize> {
        (at < self.row.len()).then_some(at)
    }
}

impl<'a> RowIndex<&'a str> for PgRow {
    fn idx(&self, name: &'a str) -> Option<usize> {
        self.row.columns().iter().position(|column| column.name() == name)
    }
}

/// A column of a row.
pub(crate) struct PgField<'f> {
    row: &'f PgRow,
    at: usize,
}

impl<'f> Field<'f, Pg> for PgField<'f> {
    fn field_name(&self) -> Option<&str> {
        self.row.row.columns().get(self.at).map(|column| column.name())
    }

    fn value(&self) -> Option<<Pg as Backend>::RawValue<'_>> {
        let Bytes(bytes) = self.row.row.try_get(self.at).ok()?;
        Some(PgValue::new(bytes?, self.row.types.get(self.at)?))
    }
}

/// The bytes of a value; `None` for NULL.
struct Bytes<'a>(Option<&'a [u8]>);

impl<'a> FromSql<'a> for Bytes<'a> {
    fn from_sql(_: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(Some(bytes)))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
