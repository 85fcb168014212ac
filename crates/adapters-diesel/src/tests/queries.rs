use super::*;
use crate::sql::{columns, contains, ordered, seek, when};
use diesel::sql_types::{BigInt, Text};
use diesel::upsert::excluded;
use diesel::{Insertable, IntoSql, Queryable, Selectable};
use domain::paging::{Order, Page, PageRequest};
use domain::ports::StoreError;
use rstest::rstest;

#[derive(Clone, Debug, PartialEq, Insertable, Queryable, Selectable, diesel::AsChangeset)]
#[diesel(table_name = counters, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct CounterRow {
    id: String,
    value: i64,
    label: String,
    note: Option<String>,
}

fn counter(n: i64) -> CounterRow {
    let note = (n % 2 == 0).then(|| format!("100% {n}_"));
    CounterRow { id: format!("c{n:03}"), value: n / 3, label: format!("Label {n}"), note }
}

async fn insert(conn: &mut Conn, count: i64) {
    let rows: Vec<_> = (0..count).map(counter).collect();
    conn.run(diesel::delete(counters::table)).await.unwrap();
    assert_eq!(conn.run(diesel::insert_into(counters::table).values(&rows)).await.unwrap(), rows.len());
}

#[rstest]
#[tokio::test]
async fn pages_are_read_in_both_orders(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[values(Order::Asc, Order::Desc)] order: Order,
    #[values(1, 3, 10, 11)] limit: usize,
) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, 10).await;
    let mut request = PageRequest { after: None, limit, order };
    let mut seen = Vec::new();
    loop {
        let after = request.after.as_deref().and_then(|key| key.split_once('/'));
        let after = after
            .map(|(value, id)| (value.parse::<i64>().unwrap().into_sql::<BigInt>(), id.to_owned().into_sql::<Text>()));
        let wanted = counters::table;
        let query = wanted
            .filter(seek((counters::value, counters::id), after, order))
            .order((ordered(counters::value, order), ordered(counters::id, order)))
            .limit(limit as i64 + 1)
            .select(columns::<CounterRow>());
        let rows: Vec<CounterRow> = conn.all(query).await.unwrap();
        let total = conn.total(rows.len(), &request, wanted.count()).await.unwrap();
        assert_eq!(total, 10);
        let page = Page::from_overfetch(rows, &request, total, |row| format!("{}/{}", row.value, row.id));
        seen.extend(page.items);
        request.after = page.next;
        if request.after.is_none() {
            break;
        }
    }
    let mut all: Vec<_> = (0..10).map(counter).collect();
    if order == Order::Desc {
        all.reverse();
    }
    assert_eq!(seen, all);
}

#[rstest]
#[case::absent_filter(None, 10)]
#[case::present_filter(Some(true), 5)]
#[case::its_contrary(Some(false), 5)]
#[tokio::test]
async fn an_absent_filter_matches_all_rows(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] has_note: Option<bool>,
    #[case] hits: i64,
) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, 10).await;
    let query = counters::table.filter(when(has_note.map(|yes| counters::note.is_not_null().eq(yes)))).count();
    assert_eq!(conn.one::<i64>(query).await.unwrap(), hits);
}

#[rstest]
#[case::other_case("LABEL 7", 1)]
#[case::everywhere("label", 10)]
#[case::percent_is_plain("l%l", 0)]
#[case::underscore_is_plain("label_7", 0)]
#[case::backslash_is_plain(r"\", 0)]
#[tokio::test]
async fn a_text_is_found_by_its_part(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] needle: &str,
    #[case] hits: i64,
) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, 10).await;
    let query = counters::table.filter(contains(counters::label, needle)).count();
    assert_eq!(conn.one::<i64>(query).await.unwrap(), hits);
}

#[rstest]
#[tokio::test]
async fn a_null_text_contains_nothing(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, 4).await;
    let note = diesel::NullableExpressionMethods::assume_not_null(counters::note);
    let query = counters::table.filter(contains(note, "100% 2_")).select(counters::id);
    assert_eq!(conn.all::<String>(query).await.unwrap(), ["c002"]);
}

#[rstest]
#[tokio::test]
async fn saving_a_row_inserts_it_or_writes_all_of_it(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, 1).await;
    for note in [Some("x".to_owned()), None] {
        let row = CounterRow { note, value: 77, ..counter(0) };
        let upsert = diesel::insert_into(counters::table).values(&row).on_conflict(counters::id).do_update().set(&row);
        assert_eq!(conn.run(upsert).await.unwrap(), 1);
        let found: Vec<CounterRow> = conn.all(counters::table.select(columns::<CounterRow>())).await.unwrap();
        assert_eq!(found, [row]);
    }
}

#[rstest]
#[tokio::test]
async fn an_upsert_of_many_rows_keeps_or_merges_existing_ones(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, 2).await;
    let rows: Vec<_> = (0..5).map(|n| CounterRow { value: 50 + n, ..counter(n) }).collect();
    let keep = diesel::insert_into(counters::table).values(&rows).on_conflict_do_nothing();
    assert_eq!(conn.run(keep).await.unwrap(), 3);
    let merge = diesel::insert_into(counters::table).values(rows).on_conflict(counters::id).do_update();
    let merge = merge.set(counters::value.eq(counters::value + excluded(counters::value)));
    assert_eq!(conn.at_length().run(merge).await.unwrap(), 5);
    let query = counters::table.order(counters::id).select(counters::value);
    assert_eq!(conn.all::<i64>(query).await.unwrap(), [50, 51, 104, 106, 108]);
}

#[rstest]
#[case::primary_key("a", 9, "counters.id")]
#[case::unique_rule("b", 0, "counters.label,value")]
#[tokio::test]
async fn a_duplicate_key_is_a_conflict_with_the_same_name_on_both(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] id: &str,
    #[case] value: i64,
    #[case] rule: &str,
) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    let row = (counters::id.eq(id), counters::value.eq(value), counters::label.eq("first"));
    let error = conn.run(diesel::insert_into(counters::table).values(row)).await.unwrap_err();
    assert!(matches!(&error, StoreError::Conflict(name) if name == rule), "{error:?}");
    // Otherwise one database would commit the rest of the unit of work, and the other one would roll it back.
    assert!(matches!(conn.commit().await, Err(StoreError::Internal(_))));
}

#[rstest]
#[tokio::test]
async fn locked_rows_are_skipped(#[values(Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, 3).await;
    conn.commit().await.unwrap();
    let next = || counters::table.order(counters::id).limit(1).select(counters::id);
    let (mut one, mut two) = (world.database.write().await.unwrap(), world.database.write().await.unwrap());
    assert_eq!(one.one::<String>(locked(next(), Lock::FreeRows)).await.unwrap(), "c000");
    assert_eq!(two.one::<String>(locked(next(), Lock::FreeRows)).await.unwrap(), "c001");
}

#[rstest]
#[tokio::test]
async fn a_long_query_returns_the_same_as_a_short_one(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.read().await.unwrap();
    let found: Vec<(String, i64)> =
        conn.at_length().all(counters::table.select((counters::id, counters::value))).await.unwrap();
    assert_eq!(found, [("a".to_owned(), 0)]);
    assert_eq!(value(&mut conn, Lock::None).await, 0);
    assert_eq!(
        conn.maybe::<i64>(counters::table.filter(counters::id.eq("z")).select(counters::value)).await.unwrap(),
        None
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_of_any_length_has_all_its_rows_in_order(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[values(1, 31, 32, 33, 1000)] length: i64,
) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, length).await;
    conn.commit().await.unwrap();
    let mut conn = world.database.read().await.unwrap();
    let query = counters::table.order(counters::id.asc()).select(columns::<CounterRow>());
    let expected: Vec<_> = (0..length).map(counter).collect();
    assert_eq!(conn.all::<CounterRow>(query).await.unwrap(), expected);
    assert_eq!(conn.one::<i64>(counters::table.count()).await.unwrap(), length, "the connection goes on");
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_cannot_be_read_is_an_error_wherever_it_is(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[values("c000", "c020", "c040", "c099")] damaged: &str,
) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    insert(&mut conn, 100).await;
    conn.commit().await.unwrap();
    let mut conn = world.database.read().await.unwrap();
    let label = format!("CASE WHEN id = '{damaged}' THEN NULL ELSE label END");
    let query = counters::table.order(counters::id.asc()).select(diesel::dsl::sql::<Text>(&label));
    let error = conn.all::<String>(query).await.unwrap_err();
    assert!(matches!(error, StoreError::Internal(_)), "{error:?}");
    drop(conn);
    let mut conn = world.database.read().await.unwrap();
    assert_eq!(conn.one::<i64>(counters::table.count()).await.unwrap(), 100);
}

#[rstest]
#[tokio::test]
async fn every_statement_is_counted(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let before = world.database.statements();
    let mut conn = world.database.write().await.unwrap();
    add(&mut conn, 1).await;
    conn.at_length().all::<String>(counters::table.select(counters::id)).await.unwrap();
    conn.commit().await.unwrap();
    assert_eq!((committed(&world.database).await, world.database.statements() - before), (1, 3));
}

#[tokio::test]
async fn postgres_does_not_compile_statements_to_machine_code() {
    let Some(world) = world(Backend::Postgres).await else { return };
    let mut conn = world.database.read().await.unwrap();
    let setting: String = conn.one(diesel::select(diesel::dsl::sql::<Text>("current_setting('jit')"))).await.unwrap();
    assert_eq!(setting, "off");
}
