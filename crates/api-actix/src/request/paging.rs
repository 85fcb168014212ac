//! Pagination of lists.
use crate::Api;
use crate::answer::error::ApiError;
use crate::request::query::ONCE;
use crate::request::{Query, Wire, pairs};
use crate::state::caller::Caller;
use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::paging::{DEFAULT_LIMIT, MAX_LIMIT, Order, Page, PageRequest};
use domain::text::Invalid;
use domain::usecases::Input;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::Cell;
use std::future::{Ready, ready};
use std::iter::Map;
use std::marker::PhantomData;
use std::vec::IntoIter;
use subtle::ConstantTimeEq;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// The length of the signature in a page token, in bytes.
const PROOF: usize = 16;

/// The parameters of every list, for the OpenAPI document.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "read by the document only; the values are read by `Paging`")]
pub(crate) struct PagingParams {
    /// The page to return: the `next.page` of the previous response. The token is valid only for the same caller, list
    /// and filters.
    page: Option<String>,
    /// The maximum number of items to return; 100 if absent. With 0, only `count` is returned.
    #[param(minimum = 0, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// The requested page of a list.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    key: [u8; 32],
    /// The values of the parameters, as sent.
    page: Vec<String>,
    limit: Vec<String>,
}

impl FromRequest for Paging {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let extensions = request.extensions();
        let caller = extensions.get::<Caller>().and_then(|caller| caller.actor.user()).map_or("", |user| user.as_str());
        let secret = request.app_data::<Data<Api>>().map_or([0; 32], |api| api.page_key);
        ready(Ok(Self::new(&secret, caller, request.path(), request.query_string())))
    }
}

/// The values of a parameter.
fn values(query: &str, wanted: &str) -> Vec<String> {
    pairs(query).filter(|(name, _)| name == wanted).map(|(_, value)| value.into_owned()).collect()
}

/// The only value of a parameter.
///
/// # Errors
/// The parameter, if it is repeated.
fn only<'v>(name: &str, values: &'v [String]) -> Result<Option<&'v str>, Invalid> {
    match values {
        [] => Ok(None),
        [value] => Ok(Some(value.as_str())),
        _ => Err(Invalid::new(name, ONCE)),
    }
}

impl Paging {
    /// The page that a query requests. Its token must have been issued for this caller, path and filters: they are part
    /// of the key that signs it.
    fn new(secret: &[u8; 32], caller: &str, path: &str, query: &str) -> Self {
        let mut filters: Vec<_> = pairs(query).filter(|(name, _)| name != "page" && name != "limit").collect();
        filters.sort();
        let mut key = blake3::Hasher::new_keyed(secret);
        let parts = [caller, path].into_iter().chain(filters.iter().flat_map(|(name, value)| [&**name, &**value]));
        for part in parts {
            // Each part is preceded by its length, so that parts cannot be shifted into each other.
            key.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        Self { key: *key.finalize().as_bytes(), page: values(query, "page"), limit: values(query, "limit") }
    }

    /// The page request, for the use case to read.
    pub(crate) fn input(&self) -> Input<PageRequest> {
        let paging = self.clone();
        Input::new(move || paging.request())
    }

    /// The page request with the filters of the list, for the use case to read.
    pub(crate) fn with<F: Wire + 'static>(&self, filters: Query<F>) -> Input<(F::Command, PageRequest)> {
        let paging = self.clone();
        Input::new(move || Ok((filters.read()?, paging.request()?)))
    }

    /// The same where the filters name the order, too.
    pub(crate) fn ordered_with<T, F>(&self, filters: Query<F>) -> Input<(T, PageRequest)>
    where
        F: Wire<Command = (T, Order)> + 'static,
    {
        let paging = self.clone();
        Input::new(move || {
            let (filter, order) = filters.read()?;
            Ok((filter, PageRequest { order, ..paging.request()? }))
        })
    }

    /// The page request of a list with its newest items first, for the use case to read.
    pub(crate) fn newest_first(&self) -> Input<PageRequest> {
        let paging = self.clone();
        Input::new(move || paging.descending())
    }

    /// The same with the filters of the list.
    pub(crate) fn newest_first_with<F: Wire + 'static>(&self, filters: Query<F>) -> Input<(F::Command, PageRequest)> {
        let paging = self.clone();
        Input::new(move || Ok((filters.read()?, paging.descending()?)))
    }

    fn descending(&self) -> Result<PageRequest, Invalid> {
        Ok(PageRequest { order: Order::Desc, ..self.request()? })
    }

    /// Parses the page request.
    ///
    /// # Errors
    /// [`Invalid`] for `page` or `limit`.
    pub(crate) fn request(&self) -> Result<PageRequest, Invalid> {
        let after = only("page", &self.page)?.map(|token| self.open(token)).transpose()?;
        let limit = match only("limit", &self.limit)? {
            None => DEFAULT_LIMIT,
            Some(raw) => raw
                .parse()
                .ok()
                .filter(|limit| (0..=MAX_LIMIT).contains(limit))
                .ok_or_else(|| Invalid::new("limit", format!("must be a whole number from 0 to {MAX_LIMIT}")))?,
        };
        Ok(PageRequest { after, limit, order: Order::Asc })
    }

    /// The response: the items, with the token of the next page. `present` is called for each item when it is written.
    pub(crate) fn list<T, U, F: FnMut(T) -> U>(&self, page: Page<T>, present: F) -> List<U, Map<IntoIter<T>, F>> {
        let next = page.next.map(|key| Next { page: self.signed_token(&key) });
        let items = Items { left: Cell::new(Some(page.items.into_iter().map(present))) };
        List { next, count: page.total, items, item: PhantomData }
    }

    fn proof(&self, key: &[u8]) -> [u8; PROOF] {
        let whole = blake3::keyed_hash(&self.key, key);
        let mut proof = [0; PROOF];
        proof.copy_from_slice(&whole.as_bytes()[..PROOF]);
        proof
    }

    fn signed_token(&self, key: &str) -> String {
        let mut token = self.proof(key.as_bytes()).to_vec();
        token.extend_from_slice(key.as_bytes());
        URL_SAFE_NO_PAD.encode(token)
    }

    fn open(&self, token: &str) -> Result<String, Invalid> {
        let wrong = || Invalid::new("page", "is not a valid page token for this list");
        let bytes = URL_SAFE_NO_PAD.decode(token).ok().ok_or_else(wrong)?;
        let (proof, key) = bytes.split_at_checked(PROOF).ok_or_else(wrong)?;
        if !bool::from(self.proof(key).ct_eq(proof)) {
            return Err(wrong());
        }
        String::from_utf8(key.to_vec()).ok().ok_or_else(wrong)
    }
}

/// A page of a list.
#[derive(Serialize)]
#[serde(bound = "I: Iterator, I::Item: Serialize")]
pub(crate) struct List<T, I = IntoIter<T>> {
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    count: usize,
    items: Items<I>,
    #[serde(skip)]
    item: PhantomData<fn() -> T>,
}

/// The items of a list. Each is made when it is written, and dropped before the next one: so a list of a thousand items
/// uses the same memory again and again, which is in the cache of the processor.
struct Items<I> {
    left: Cell<Option<I>>,
}

impl<I: Iterator<Item: Serialize>> Serialize for Items<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let items = self.left.take().ok_or_else(|| S::Error::custom("a list can be written only once"))?;
        serializer.collect_seq(items)
    }
}

/// The next page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Next {
    /// The token of the next page.
    page: String,
}

impl<T, I: Iterator<Item = T>> List<T, I> {
    /// The next page, the total and the items, for lists with additional fields.
    pub(crate) fn into_parts(self) -> (Option<Next>, usize, Vec<T>) {
        (self.next, self.count, self.items.left.into_inner().into_iter().flatten().collect())
    }
}

impl<T: ToSchema> PartialSchema for List<T> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .property("next", Ref::from_schema_name(Next::name()))
            .description(Some("A page of a list. The last page has no `next`."))
            .property(
                "count",
                ObjectBuilder::new()
                    .schema_type(Type::Integer)
                    .description(Some("The number of items of the whole list.")),
            )
            .required("count")
            .property("items", ArrayBuilder::new().items(Ref::from_schema_name(T::name())))
            .required("items")
            .into()
    }
}

impl<T: ToSchema> ToSchema for List<T> {
    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schemas(out: &mut Vec<(String, RefOr<Schema>)>) {
        out.push((Next::name().into(), Next::schema()));
        out.push((T::name().into(), T::schema()));
        T::schemas(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    const SECRET: [u8; 32] = [7; 32];

    fn paging(caller: &str, path: &str, query: &str) -> Paging {
        Paging::new(&SECRET, caller, path, query)
    }
    fn next(caller: &str, path: &str, query: &str, key: &str) -> String {
        let page = Page { next: Some(key.to_owned()), ..vec![1].into() };
        paging(caller, path, query).list(page, |item| item).next.unwrap().page
    }

    #[rstest]
    #[case("", Ok(100))]
    #[case("limit=1", Ok(1))]
    #[case("limit=1000", Ok(1000))]
    #[case("limit=0", Ok(0))]
    #[case("limit=-1", Err("limit"))]
    #[case("limit=1001", Err("limit"))]
    #[case("limit=1e9", Err("limit"))]
    #[case("limit=NaN", Err("limit"))]
    #[case("limit=", Err("limit"))]
    #[case("limit=99999999999999999999999", Err("limit"))]
    #[case("page=junk", Err("page"))]
    #[case("page=", Err("page"))]
    #[case("page=%FF%FE", Err("page"))]
    #[case("limit=1&limit=1", Err("limit"))]
    #[case("page=&page=", Err("page"))]
    fn a_limit_is_a_number_from_0_to_1000(#[case] query: &str, #[case] expected: Result<usize, &str>) {
        let found = paging("ada", "/v1/orgs", query).request();
        assert_eq!(
            found.map(|request| request.limit).map_err(|invalid| invalid.field),
            expected.map_err(str::to_owned)
        );
    }

    #[test]
    fn a_token_opens_the_next_page_of_its_own_list_with_any_limit() {
        let token = next("ada", "/v1/orgs", "b=2&a=1", "key");
        let query = format!("a=1&page={token}&limit=7&b=2");
        let request = paging("ada", "/v1/orgs", &query).request().unwrap();
        assert_eq!((request.after.as_deref(), request.limit), (Some("key"), 7));
    }

    #[rstest]
    #[case::of_another_caller("eve", "/v1/orgs", "a=1")]
    #[case::of_another_list("ada", "/v1/orgs/o/spaces", "a=1")]
    #[case::of_other_filters("ada", "/v1/orgs", "a=2")]
    #[case::without_its_filters("ada", "/v1/orgs", "x=")]
    #[case::shifted("adaa", "/v1/orgs", "=1")]
    fn a_token_opens_nothing_else(#[case] caller: &str, #[case] path: &str, #[case] query: &str) {
        let token = next("ada", "/v1/orgs", "a=1", "key");
        let error = paging(caller, path, &format!("{query}&page={token}")).request().unwrap_err();
        assert_eq!(error.field, "page");
    }

    #[test]
    fn the_count_of_a_list_is_its_total() {
        let list = paging("ada", "/", "").list(Page { total: 7, ..vec![1, 2].into() }, |item| item);
        assert_eq!(serde_json::to_string(&list).unwrap(), r#"{"count":7,"items":[1,2]}"#);
    }

    #[test]
    fn an_item_is_presented_when_it_is_written() {
        let presented = Cell::new(0);
        let present = |item: u32| {
            presented.set(presented.get() + 1);
            item * 10
        };
        let list = paging("ada", "/", "").list(Page::from(vec![1, 2, 3]), present);
        assert_eq!(presented.get(), 0);
        assert_eq!(serde_json::to_string(&list).unwrap(), r#"{"count":3,"items":[10,20,30]}"#);
        assert_eq!(presented.get(), 3);
        let again = serde_json::to_string(&list).unwrap_err();
        assert_eq!(again.to_string(), "a list can be written only once");
    }

    #[test]
    fn a_list_without_items_is_empty() {
        let list = paging("ada", "/", "").list(Page::from(Vec::<u32>::new()), |item| item);
        assert_eq!(serde_json::to_string(&list).unwrap(), r#"{"count":0,"items":[]}"#);
    }

    #[test]
    fn a_list_with_further_fields_has_all_its_items() {
        let page = Page { next: Some("key".to_owned()), total: 7, ..vec![1, 2].into() };
        let (next, count, items) = paging("ada", "/", "").list(page, |item: u32| item * 10).into_parts();
        assert_eq!((next.is_some(), count, items), (true, 7, vec![10, 20]));
    }

    proptest! {
        #[test]
        fn a_changed_token_is_refused(at in 0usize..26, replacement in "[A-Za-z0-9_-]") {
            let token = next("ada", "/", "", "key");
            let mut changed = token.clone();
            changed.replace_range(at..=at, &replacement);
            prop_assume!(URL_SAFE_NO_PAD.decode(&changed).ok() != URL_SAFE_NO_PAD.decode(&token).ok());
            let refused = paging("ada", "/", &format!("page={changed}")).request();
            prop_assert_eq!(refused.map_err(|invalid| invalid.field), Err("page".to_owned()));
        }

        #[test]
        fn every_key_comes_back(key in ".{0,80}") {
            let token = next("ada", "/", "", &key);
            let request = paging("ada", "/", &format!("page={token}")).request().unwrap();
            prop_assert_eq!(request.after, Some(key));
        }
    }
}
