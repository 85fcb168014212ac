//! The whole content of a database as text, to detect changes and to search for secrets.
use diesel::connection::SimpleConnection;
use diesel::sql_types::{Nullable, Text};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use std::collections::BTreeMap;
use test_database::{TestDatabase, connect_to};
use tokio_postgres::SimpleQueryMessage;

/// Tables by name, with their rows in a fixed order. Bytes are hexadecimal.
pub type Dump = BTreeMap<String, Vec<String>>;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Nullable<Text>)]
    line: Option<String>,
}

/// Runs a query on a SQLite file. The query returns one text column, `line`.
///
/// # Panics
/// If the file does not open or the SQL fails.
pub fn ask_file(file: &str, sql: &str) -> Vec<String> {
    ask(&mut SqliteConnection::establish(file).expect("the file opens"), sql)
}

fn ask(connection: &mut SqliteConnection, sql: &str) -> Vec<String> {
    let lines = sql_query(sql).load::<Line>(connection).unwrap_or_else(|error| panic!("{sql}: {error}"));
    lines.into_iter().filter_map(|line| line.line).collect()
}

/// Runs SQL without a result on a SQLite file.
///
/// # Panics
/// If the file does not open or the SQL fails.
pub fn run_on_file(file: &str, sql: &str) {
    let mut connection = SqliteConnection::establish(file).expect("the file opens");
    sql_query(sql).execute(&mut connection).unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Locks a SQLite file until the result is dropped: nothing else can write to it.
///
/// # Panics
/// If the file does not open, or another writer does not end.
pub fn lock_file(file: &str) -> SqliteConnection {
    let mut connection = SqliteConnection::establish(file).expect("the file opens");
    connection.batch_execute("PRAGMA busy_timeout=10000; BEGIN IMMEDIATE").expect("it can be locked");
    connection
}

/// The content of a SQLite file.
fn dump_file(file: &str) -> Dump {
    // One connection, since each reads the whole schema.
    let mut connection = SqliteConnection::establish(file).expect("the file opens");
    let tables = "SELECT name AS line FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables = ask(&mut connection, tables);
    let rows = |table: String| {
        let columns = ask(&mut connection, &format!("SELECT name AS line FROM pragma_table_info('{table}')"));
        let values: Vec<String> = columns.iter().map(|column| format!("quote(\"{column}\")")).collect();
        let lines = format!("SELECT concat_ws(', ', {}) AS line FROM \"{table}\" ORDER BY 1", values.join(", "));
        let rows = ask(&mut connection, &lines);
        (table, rows)
    };
    tables.into_iter().map(rows).collect()
}

async fn dump_server(url: &str) -> Dump {
    let client = connect_to(url).await;
    let tables = client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", &[]).await;
    let tables = tables.expect("the server answers").into_iter().map(|table| table.get::<_, String>(0));
    let mut dump: Dump = tables.map(|table| (table, Vec::new())).collect();
    // All tables in one request.
    let of = |table: &String| format!("SELECT '{table}', row_to_json(t)::text FROM \"{table}\" t ORDER BY 2;");
    let all: String = dump.keys().map(of).collect();
    for part in client.simple_query(&all).await.expect("the server answers") {
        if let SimpleQueryMessage::Row(row) = part {
            let [table, line] = [row.get(0), row.get(1)].map(|value| value.expect("no column is NULL"));
            dump.get_mut(table).expect("a table").push(line.to_owned());
        }
    }
    dump
}

fn is_file(database: &TestDatabase) -> bool {
    !database.url().starts_with("postgres")
}

/// The bytes of the database file and its log; `None` if it is not a file.
pub(crate) fn raw(database: &TestDatabase) -> Option<Vec<u8>> {
    let files = is_file(database).then(|| [database.url().to_owned(), format!("{}-wal", database.url())])?;
    Some(files.iter().flat_map(|file| std::fs::read(file).unwrap_or_default()).collect())
}

/// The current content of a database.
///
/// # Panics
/// If it cannot be read.
pub(crate) async fn dump(database: &TestDatabase) -> Dump {
    match is_file(database) {
        true => dump_file(database.url()),
        false => dump_server(database.url()).await,
    }
}
