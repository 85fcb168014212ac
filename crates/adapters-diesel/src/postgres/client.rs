//! A connection that runs diesel's statements.
//!
//! diesel-async could do this, but its errors have no SQLSTATE, only a text in the language of the server. Migrations
//! use it, since people read their errors.
use super::fault::Fault;
use super::rows::{Answer, RowReader};
use diesel::pg::{Pg, PgMetadataLookup, PgQueryBuilder, PgTypeMetadata};
use diesel::query_builder::bind_collector::RawBytesBindCollector;
use diesel::query_builder::{AstPass, QueryBuilder, QueryFragment, QueryId};
use diesel::result::{Error as DieselError, QueryResult};
use std::any::TypeId;
use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type};
use tokio_postgres::{CancelToken, Client, Statement};

/// A connection. Statements are pipelined: they can be sent before earlier ones have returned.
pub(crate) struct PgConn {
    client: Client,
    prepared: Mutex<HashMap<Key, Prepared>>,
}

/// A prepared statement and its SQL, with which another connection prepares it.
#[derive(Clone)]
struct Prepared {
    statement: Statement,
    sql: Arc<str>,
}

/// The key of a prepared statement: its Rust type if that determines the SQL, otherwise its text; and the types of its
/// parameters.
type Key = (Name, Vec<u32>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    Type(TypeId),
    Sql(Arc<str>),
}

/// A statement of any type: what encodes and sends statements is compiled once, not for each of them.
pub(crate) trait AnyStatement {
    /// See [`QueryFragment::walk_ast`].
    fn walk<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()>;
    /// See [`QueryFragment::is_safe_to_cache_prepared`]. The type of the statement decides, see
    /// [`prepared`](crate::sql::prepared()).
    fn stays_prepared(&self) -> QueryResult<bool>;
    /// See [`QueryId::query_id`].
    fn static_id(&self) -> Option<TypeId>;
}

impl<Q: QueryFragment<Pg> + QueryId> AnyStatement for Q {
    fn walk<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.walk_ast(pass)
    }

    fn stays_prepared(&self) -> QueryResult<bool> {
        self.is_safe_to_cache_prepared(&Pg)
    }

    fn static_id(&self) -> Option<TypeId> {
        Q::query_id()
    }
}

impl QueryFragment<Pg> for dyn AnyStatement + '_ {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.walk(pass)
    }
}

/// A statement with its parameters, encoded for the server.
pub(super) struct EncodedStatement {
    sql: Arc<str>,
    types: Vec<Type>,
    parameters: Vec<Parameter>,
    /// The key under which it stays prepared, if it does. Otherwise it is parsed, bound and executed in one packet.
    key: Option<Key>,
    /// The prepared statement of the connection that encoded it.
    known: Option<Statement>,
}

impl EncodedStatement {
    /// Encodes a statement for a connection that is not leased yet.
    pub(super) fn detached(statement: &dyn AnyStatement, texts: &SqlTexts) -> Result<Self, Fault> {
        let Bound { oids, types, parameters, keeps, mut key } = Bound::of(statement)?;
        let sql = match &key {
            Some(key) => texts.get(key, statement)?,
            None => sql_of(statement)?,
        };
        if keeps && key.is_none() {
            key = Some((Name::Sql(Arc::clone(&sql)), oids));
        }
        Ok(Self { sql, types, parameters, key, known: None })
    }

    /// Whether it is sent in one packet: it is prepared on the connection that encoded it, or it is never prepared.
    pub(super) fn is_one_packet(&self) -> bool {
        self.known.is_some() || self.key.is_none()
    }

    /// Makes it a statement for another connection, where it is not prepared.
    pub(super) fn move_to_another_connection(&mut self) {
        self.known = None;
    }
}

/// The SQL of statements whose types determine it, for all connections.
#[derive(Default)]
pub(super) struct SqlTexts(Mutex<HashMap<Key, Arc<str>>>);

impl SqlTexts {
    fn get(&self, key: &Key, statement: &dyn AnyStatement) -> Result<Arc<str>, Fault> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sql) = texts.get(key) {
            return Ok(Arc::clone(sql));
        }
        let sql = sql_of(statement)?;
        texts.insert(key.clone(), Arc::clone(&sql));
        Ok(sql)
    }
}

fn sql_of(statement: &dyn AnyStatement) -> Result<Arc<str>, Fault> {
    let mut sql = PgQueryBuilder::default();
    statement.to_sql(&mut sql, &Pg).map_err(Fault::Form)?;
    Ok(Arc::from(sql.finish()))
}

/// The parameters of a statement.
struct Bound {
    oids: Vec<u32>,
    types: Vec<Type>,
    parameters: Vec<Parameter>,
    /// Whether the statement stays prepared.
    keeps: bool,
    /// Its key, if its type determines the SQL and it stays prepared.
    key: Option<Key>,
}

impl Bound {
    fn of(statement: &dyn AnyStatement) -> Result<Self, Fault> {
        let mut bound = RawBytesBindCollector::<Pg>::new();
        statement.collect_binds(&mut bound, &mut PortableTypes, &Pg).map_err(Fault::Form)?;
        let oids = bound.metadata.iter().map(|one| one.oid().unwrap_or_default()).collect::<Vec<u32>>();
        let types = oids.iter().map(|oid| Type::from_oid(*oid).unwrap_or(Type::UNKNOWN)).collect();
        let parameters = bound.binds.into_iter().map(Parameter).collect();
        let keeps = statement.stays_prepared().map_err(Fault::Form)?;
        let key = statement.static_id().filter(|_| keeps).map(|id| (Name::Type(id), oids.clone()));
        Ok(Self { oids, types, parameters, keeps, key })
    }
}

impl PgConn {
    /// Wraps a connection whose driver is running.
    pub(crate) fn new(client: Client) -> Self {
        Self { client, prepared: Mutex::default() }
    }

    /// Whether the connection is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// The token that cancels the running statement.
    pub(crate) fn cancel_token(&self) -> CancelToken {
        self.client.cancel_token()
    }

    /// Runs SQL without parameters and results.
    pub(crate) async fn execute(&self, sql: &str) -> Result<(), Fault> {
        self.client.batch_execute(sql).await.map_err(Fault::Server)
    }

    /// Reads all rows of a query. A thread of the runtime receives those of a long list.
    pub(super) async fn load(
        &self,
        query: &EncodedStatement,
        reader: Box<dyn RowReader>,
        runtime: &Handle,
    ) -> Result<Box<dyn RowReader>, Fault> {
        let EncodedStatement { sql, types, parameters, key, .. } = query;
        let answer = if key.is_some() {
            let statement = self.statement(query).await?;
            self.client.query_raw(&statement, parameters.iter()).await
        } else {
            self.client.query_typed_raw(sql, parameters.iter().zip(types.iter().cloned())).await
        };
        Answer::new(answer.map_err(Fault::Server)?, reader).read(runtime).await
    }

    /// Runs a command and returns the number of affected rows.
    pub(super) async fn count(&self, command: &EncodedStatement) -> Result<usize, Fault> {
        let EncodedStatement { sql, types, parameters, key, .. } = command;
        let rows = if key.is_some() {
            let statement = self.statement(command).await?;
            self.client.execute_raw(&statement, parameters.iter()).await
        } else {
            let typed = parameters.iter().map(|one| one as &(dyn ToSql + Sync)).zip(types.iter().cloned());
            self.client.execute_typed(sql, &typed.collect::<Vec<_>>()).await
        };
        let rows = rows.map_err(Fault::Server)?;
        usize::try_from(rows).map_err(|error| Fault::Form(DieselError::DeserializationError(error.into())))
    }

    fn prepared(&self) -> MutexGuard<'_, HashMap<Key, Prepared>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Encodes a statement. It can be sent later, without the statement.
    pub(super) fn encode(&self, statement: &dyn AnyStatement) -> Result<EncodedStatement, Fault> {
        let Bound { oids, types, parameters, keeps, mut key } = Bound::of(statement)?;
        let mut prepared = key.as_ref().and_then(|key| self.prepared().get(key).cloned());
        let sql = match &prepared {
            Some(prepared) => Arc::clone(&prepared.sql),
            None => sql_of(statement)?,
        };
        if keeps && key.is_none() {
            let by_sql = (Name::Sql(Arc::clone(&sql)), oids);
            prepared = self.prepared().get(&by_sql).cloned();
            key = Some(by_sql);
        }
        let known = prepared.map(|prepared| prepared.statement);
        Ok(EncodedStatement { sql, types, parameters, key, known })
    }

    async fn statement(&self, encoded: &EncodedStatement) -> Result<Statement, Fault> {
        let EncodedStatement { sql, types, key, known, .. } = encoded;
        // A statement that was encoded for another connection can be prepared here, too.
        let here = || Some(self.prepared().get(key.as_ref()?)?.statement.clone());
        if let Some(known) = known.clone().or_else(here) {
            return Ok(known);
        }
        let statement = self.client.prepare_typed(sql, types).await.map_err(Fault::Server)?;
        if let Some(key) = key {
            let prepared = Prepared { statement: statement.clone(), sql: Arc::clone(sql) };
            self.prepared().insert(key.clone(), prepared);
        }
        Ok(statement)
    }
}

/// Looks up types that are not built into PostgreSQL. There are none, since only types of both databases are used.
struct PortableTypes;

impl PgMetadataLookup for PortableTypes {
    fn lookup_type(&mut self, _: &str, _: Option<&str>) -> PgTypeMetadata {
        // The server infers the type.
        PgTypeMetadata::new(0, 0)
    }
}

/// A parameter in binary form; `None` for NULL.
#[derive(Debug)]
struct Parameter(Option<Vec<u8>>);

impl ToSql for Parameter {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match &self.0 {
            Some(bytes) => {
                out.extend_from_slice(bytes);
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        self.to_sql(ty, out)
    }
}
