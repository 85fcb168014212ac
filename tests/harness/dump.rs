//! The whole content of a database as text, to detect changes and to search for secrets.
use diesel::sql_types::{Nullable, Text};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use std::collections::BTreeMap;
use test_database::{TestDatabase, connect_to};

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
    let mut connection = SqliteConnection::establish(file).expect("the file opens");
    let lines = sql_query(sql).load::<Line>(&mut connection).unwrap_or_else(|error| panic!("{sql}: {error}"));
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

/// The content of a SQLite file.
fn dump_file(file: &str) -> Dump {
    let tables = "SELECT name AS line FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let rows = |table: String| {
        let columns = ask_file(file, &format!("SELECT name AS line FROM pragma_table_info('{table}')"));
        let values: Vec<String> = columns.iter().map(|column| format!("quote(\"{column}\")")).collect();
        let lines = format!("SELECT concat_ws(', ', {}) AS line FROM \"{table}\" ORDER BY 1", values.join(", "));
        let rows = ask_file(file, &lines);
        (table, rows)
    };
    ask_file(file, tables).into_iter().map(rows).collect()
}

async fn dump_server(url: &str) -> Dump {
    let client = connect_to(url).await;
    let tables = client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", &[]).await;
    let mut dump = Dump::new();
    for table in tables.expect("the server answers") {
        let table: String = table.get(0);
        let rows = client.query(&format!("SELECT row_to_json(t)::text FROM \"{table}\" t ORDER BY 1"), &[]).await;
        let rows = rows.expect("the server answers").iter().map(|row| row.get(0)).collect();
        dump.insert(table, rows);
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
