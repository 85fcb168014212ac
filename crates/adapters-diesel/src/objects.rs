//! The objects of the content engine: immutable bytes, named by their hash.

use crate::conn::Conn;
use crate::error::internal;
use crate::postgres::StoredRow;
use crate::schema::content::objects;
use crate::schema::jobs::condemned;
use crate::sql::{Lock, locked, one_of};
use bytes::Bytes;
use diesel::{ExpressionMethods, Insertable, QueryDsl, Queryable, Selectable};
use domain::content::object::{self, Hash, SharedObjects};
use domain::ports::StoreResult;
use domain::ports::store::garbage::Kind;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use zstd::bulk::Decompressor;

/// The number of objects that one statement reads or writes. SQLite binds at most 32,766 values, PostgreSQL 65,535.
const BATCH: usize = 500;
/// With more objects than this, a statement counts as long.
const SHORT: usize = 32;
/// The largest size of an unpacked object, in bytes. A stored object that claims more is damaged.
const LARGEST: u64 = 256 * 1024 * 1024;
/// The number of bytes stored by a unit of work that are cached at its commit.
const FRESH: usize = 8 * 1024 * 1024;
/// The compression level: zstd takes a few microseconds per kilobyte at it.
const LEVEL: i32 = 3;
/// Objects smaller than this are not compressed: the header of a frame would be larger than the gain, in bytes.
const WORTH_COMPRESSING: usize = 96;

const RAW: u8 = 0;
const ZSTD: u8 = 1;

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = objects, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct ObjectRow {
    hash: Vec<u8>,
    data: Vec<u8>,
}

#[derive(Clone)]
struct Size;

impl Weighter<Hash, Bytes> for Size {
    fn weight(&self, _: &Hash, bytes: &Bytes) -> u64 {
        // Plus the cache entry itself, and the reference count of the bytes.
        bytes.len() as u64 + 128
    }
}

/// The object cache of the process. An object is named by its hash and never changes, so entries are never invalidated.
///
/// It holds only objects that were read from the database or committed to it. An entry does not prove that the object
/// is *still* stored: a unit of work that adds a reference to an object outside the revisions of the space must store
/// it again.
pub(crate) struct ObjectCache(Cache<Hash, Bytes, Size>);

impl ObjectCache {
    /// Creates a cache of at most `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Arc<Self> {
        let objects = usize::try_from(bytes / 2048).unwrap_or(usize::MAX);
        Arc::new(Self(Cache::with_weighter(objects.max(16), bytes, Size)))
    }
}

impl object::Objects for ObjectCache {
    fn get(&self, hash: &Hash) -> Option<Bytes> {
        self.0.get(hash)
    }
}

/// The objects in one unit of work.
pub(crate) struct Objects {
    cache: Arc<ObjectCache>,
    /// Objects stored by this unit of work, not yet committed.
    fresh: Vec<(Hash, Bytes)>,
    fresh_bytes: usize,
    stored: bool,
    /// Objects removed by this unit of work, not yet committed.
    gone: Vec<Hash>,
}

impl Objects {
    pub(crate) fn new(cache: &Arc<ObjectCache>) -> Self {
        Self { cache: Arc::clone(cache), fresh: Vec::new(), fresh_bytes: 0, stored: false, gone: Vec::new() }
    }

    /// The objects in memory.
    pub(crate) fn cached_objects(&self) -> SharedObjects {
        Arc::clone(&self.cache) as SharedObjects
    }

    /// Loads objects, in any order; missing ones are left out.
    ///
    /// # Errors
    /// `Internal` if stored bytes do not match their hash.
    pub(crate) async fn load(&self, conn: &mut Conn, hashes: &[Hash]) -> StoreResult<Vec<(Hash, Bytes)>> {
        let mut found = Vec::with_capacity(hashes.len());
        let mut missing = Vec::new();
        for hash in hashes {
            match self.cache.0.get(hash) {
                Some(bytes) => found.push((*hash, bytes)),
                None => missing.push(*hash),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        for batch in missing.chunks(BATCH) {
            let some = || objects::table.filter(one_of(objects::hash, names(batch)));
            let on_thread = if batch.len() <= SHORT { conn.objects_on_thread(batch).await } else { None };
            let rows: Vec<StoredRow> = match (on_thread, batch) {
                (Some(rows), _) => rows,
                // Without a list, the statement is found by its type.
                (None, [hash]) => conn.all(objects::table.filter(objects::hash.eq(hash.as_bytes().as_slice()))).await?,
                (None, _) if batch.len() <= SHORT => conn.all(some()).await?,
                (None, _) => conn.at_length().all(some()).await?,
            };
            for (name, data) in rows {
                let (hash, bytes) = check(&name, &data)?;
                self.cache.0.insert(hash, bytes.clone());
                found.push((hash, bytes));
            }
        }
        Ok(found)
    }

    /// Stores objects that are not stored yet, and takes all of them off the list of condemned ones, since the caller
    /// is about to refer to them.
    pub(crate) async fn put(&mut self, conn: &mut Conn, mut objects: Vec<(Hash, Bytes)>) -> StoreResult<()> {
        // Always in the same order, so that two units of work that store the same objects cannot deadlock.
        objects.sort_unstable_by_key(|(hash, _)| *hash);
        objects.dedup_by_key(|(hash, _)| *hash);
        self.stored |= !objects.is_empty();
        for batch in objects.chunks(BATCH) {
            // Before the check for existing ones. From here on, no job removes them until this unit of work ends, and
            // any job that was removing them has finished.
            unlist(conn, &batch.iter().map(|(hash, _)| *hash).collect::<Vec<_>>()).await?;
            let insert =
                |rows: Vec<ObjectRow>| diesel::insert_into(objects::table).values(rows).on_conflict_do_nothing();
            if batch.len() > SHORT {
                let owned = batch.to_vec();
                let packing = tokio::task::spawn_blocking(move || owned.iter().map(row).collect());
                conn.at_length().send(insert(packing.await.map_err(internal)?)).await?;
            } else {
                conn.send(insert(batch.iter().map(row).collect())).await?;
            }
        }
        for (hash, bytes) in objects {
            if self.fresh_bytes + bytes.len() > FRESH {
                break;
            }
            self.fresh_bytes += bytes.len();
            self.fresh.push((hash, bytes));
        }
        Ok(())
    }

    /// Takes objects off the list of condemned ones. Returns the objects that are not stored.
    pub(crate) async fn keep(&mut self, conn: &mut Conn, hashes: &[Hash]) -> StoreResult<Vec<Hash>> {
        let mut wanted: BTreeSet<Hash> = hashes.iter().copied().collect();
        self.stored |= !wanted.is_empty();
        let all: Vec<Hash> = wanted.iter().copied().collect();
        for batch in all.chunks(BATCH) {
            unlist(conn, batch).await?;
            let there = objects::table.filter(one_of(objects::hash, names(batch))).select(objects::hash);
            for name in conn.at_length().all::<Vec<u8>>(there).await? {
                wanted.remove(&hash_of(&name)?);
            }
        }
        Ok(wanted.into_iter().collect())
    }

    /// Whether this unit of work stored an object.
    pub(crate) fn has_stored(&self) -> bool {
        self.stored
    }

    /// Records that an object was removed.
    pub(crate) fn mark_removed(&mut self, hash: Hash) {
        self.gone.push(hash);
    }

    /// After the commit: adds stored objects to the cache, and drops removed ones from it.
    pub(crate) fn publish(self) {
        for hash in self.gone {
            self.cache.0.remove(&hash);
        }
        for (hash, bytes) in self.fresh {
            // A copy: the buffer that an object was written to can be twice as large.
            self.cache.0.insert(hash, Bytes::copy_from_slice(&bytes));
        }
    }
}

/// Hashes as column values.
pub(crate) fn names(hashes: &[Hash]) -> Vec<Vec<u8>> {
    hashes.iter().map(|hash| hash.as_bytes().to_vec()).collect()
}

/// Takes objects off the list of condemned ones, which is nearly always empty.
async fn unlist(conn: &mut Conn, wanted: &[Hash]) -> StoreResult<()> {
    let on_the_list = |hashes: Vec<Vec<u8>>| {
        condemned::table.filter(condemned::kind.eq(Kind::Object.as_str())).filter(one_of(condemned::hash, hashes))
    };
    // Always in the same order, like the objects themselves.
    let listed = on_the_list(names(wanted)).order(condemned::hash.asc()).select(condemned::hash);
    let listed = locked(listed, Lock::Rows);
    let listed: Vec<Vec<u8>> =
        if wanted.len() > SHORT { conn.at_length().all(listed).await? } else { conn.all(listed).await? };
    if listed.is_empty() {
        return Ok(());
    }
    conn.at_length().send(diesel::delete(on_the_list(listed))).await
}

fn row((hash, bytes): &(Hash, Bytes)) -> ObjectRow {
    ObjectRow { hash: hash.as_bytes().to_vec(), data: pack(bytes) }
}

/// One byte for the format, then the bytes, compressed if that makes them smaller.
fn pack(bytes: &[u8]) -> Vec<u8> {
    if bytes.len() >= WORTH_COMPRESSING
        && let Ok(compressed) = zstd::bulk::compress(bytes, LEVEL)
        && compressed.len() < bytes.len()
    {
        return [&[ZSTD], compressed.as_slice()].concat();
    }
    [&[RAW], bytes].concat()
}

thread_local! {
    /// Reused, because creating a decompressor takes longer than unpacking a small object.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = RefCell::new(Decompressor::new().ok());
}

fn unpack(data: &[u8]) -> Option<Bytes> {
    match data.split_first()? {
        (&RAW, bytes) => Some(Bytes::copy_from_slice(bytes)),
        (&ZSTD, frame) => {
            let size = zstd::zstd_safe::get_frame_content_size(frame).ok()??;
            let size = usize::try_from(size).ok().filter(|_| size <= LARGEST)?;
            UNPACKER.with_borrow_mut(|unpacker| unpacker.as_mut()?.decompress(frame, size).ok()).map(Bytes::from)
        }
        _ => None,
    }
}

/// Parses a hash column.
fn hash_of(name: &[u8]) -> StoreResult<Hash> {
    <[u8; Hash::LENGTH]>::try_from(name).map(Hash::from_bytes).map_err(internal)
}

/// Unpacks the object of a row and checks its hash.
fn check(name: &[u8], data: &[u8]) -> StoreResult<(Hash, Bytes)> {
    let hash = hash_of(name)?;
    let bytes = unpack(data).filter(|bytes| Hash::of(bytes) == hash);
    Ok((hash, bytes.ok_or_else(|| internal(format!("the stored object {hash} is damaged")))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::nothing(b"".as_slice(), RAW)]
    #[case::short(b"short", RAW)]
    #[case::repetitive(&[b'a'; 4000], ZSTD)]
    fn an_object_is_packed_in_the_smaller_format_and_unpacked(#[case] bytes: &[u8], #[case] how: u8) {
        let data = pack(bytes);
        assert_eq!(data[0], how);
        assert!(data.len() <= bytes.len() + 1);
        assert_eq!(unpack(&data).as_deref(), Some(bytes));
    }

    #[test]
    fn incompressible_bytes_are_stored_unchanged() {
        let mut noise = Vec::new();
        while noise.len() < 4096 {
            noise.extend_from_slice(Hash::of(&noise).as_bytes());
        }
        assert_eq!(pack(&noise)[0], RAW);
    }

    #[rstest]
    #[case::empty(vec![])]
    #[case::unknown_way(vec![9, 1, 2, 3])]
    #[case::other_bytes(vec![RAW, 1])]
    #[case::no_frame(vec![ZSTD, 1, 2, 3])]
    #[case::cut_short(pack(&[b'a'; 4000])[..12].to_vec())]
    fn a_damaged_object_is_an_error(#[case] data: Vec<u8>) {
        let hash = Hash::of(&[b'a'; 4000]);
        assert!(check(hash.as_bytes(), &data).is_err());
    }
}
