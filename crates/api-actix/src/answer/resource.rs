//! The common form of all resources with permissions: `object`, the resource's fields, `urls`, `permissions`.
use domain::access::{Granted, Guarded, PermissionSet};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// The fields of a resource, with its types for URLs and permissions.
pub(crate) trait Resource: Serialize + ToSchema {
    /// The value of the field `object`.
    const OBJECT: &'static str;
    /// The domain type that is presented.
    type Entity: Guarded<Permissions: PermissionSet>;
    type Urls: Serialize + ToSchema;
}

/// A resource in a response. It can be built only from a [`Granted`] entity, so nothing is shown without an access
/// check.
#[derive(Serialize)]
pub(crate) struct Presented<R: Resource> {
    object: &'static str,
    #[serde(flatten)]
    fields: R,
    urls: R::Urls,
    permissions: <R::Entity as Guarded>::Permissions,
}

impl<R: Resource> Presented<R> {
    /// Presents a granted entity.
    pub(crate) fn new(granted: Granted<R::Entity>, show: impl FnOnce(R::Entity) -> (R, R::Urls)) -> Self {
        let (entity, permissions) = granted.into_parts();
        let (fields, urls) = show(entity);
        Self { object: R::OBJECT, fields, urls, permissions }
    }

    pub(crate) fn urls(&self) -> &R::Urls {
        &self.urls
    }
}

fn permissions_name<R: Resource>() -> String {
    format!("{}Permissions", R::name())
}

fn permissions_schema<R: Resource>() -> RefOr<Schema> {
    let object = ObjectBuilder::new().description(Some("What the caller may do."));
    let boolean = || ObjectBuilder::new().schema_type(Type::Boolean);
    let names = <R::Entity as Guarded>::Permissions::NAMES.iter();
    names.fold(object, |object, name| object.property(*name, boolean()).required(*name)).into()
}

impl<R: Resource> PartialSchema for Presented<R> {
    fn schema() -> RefOr<Schema> {
        let envelope = ObjectBuilder::new()
            .property("object", ObjectBuilder::new().schema_type(Type::String).enum_values(Some([R::OBJECT])))
            .required("object")
            .property("urls", Ref::from_schema_name(R::Urls::name()))
            .required("urls")
            .property("permissions", Ref::from_schema_name(permissions_name::<R>()))
            .required("permissions");
        AllOfBuilder::new().item(R::schema()).item(envelope).into()
    }
}

impl<R: Resource> ToSchema for Presented<R> {
    fn name() -> Cow<'static, str> {
        R::name()
    }

    fn schemas(out: &mut Vec<(String, RefOr<Schema>)>) {
        out.push((R::Urls::name().into(), R::Urls::schema()));
        out.push((permissions_name::<R>(), permissions_schema::<R>()));
        R::schemas(out);
        R::Urls::schemas(out);
    }
}

#[cfg(test)]
mod tests {
    use crate::answer::links::Links;
    use crate::answer::signature::Signer;
    use crate::wire::organization::organization;
    use crate::wire::space::space;
    use chrono::DateTime;
    use domain::access::{Access, DefaultLevel, Granted, Level, PermissionSet};
    use domain::organization::{Organization, OrganizationPermissions};
    use domain::space::{NewSpace, Space, SpacePermissions};
    use domain::usecases::ShownSpace;
    use serde_json::{Value, json, to_value};
    use std::collections::BTreeSet;

    fn links() -> Links {
        Links::new(&"https://docs.test/base/".parse().unwrap(), Signer::new(&[1; 32]))
    }
    fn access() -> Access {
        Access::new(Some("u".parse().unwrap()), Level::Admin)
    }
    fn keys(value: &Value) -> BTreeSet<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn an_organization_wears_the_envelope_and_every_required_field() {
        let entity = Organization::new("o".parse().unwrap(), "Docs".parse().unwrap(), DateTime::UNIX_EPOCH);
        let shown = to_value(organization(Granted::check(entity, &access(), |_| true).unwrap(), &links())).unwrap();
        assert_eq!(keys(&shown["permissions"]), OrganizationPermissions::NAMES.iter().copied().collect());
        let required = [
            "object",
            "id",
            "title",
            "createdAt",
            "emailDomains",
            "type",
            "inviteLinks",
            "plan",
            "mergeRules",
            "urls",
            "trial",
        ];
        assert!(required.iter().all(|field| shown.get(field).is_some_and(|value| !value.is_null())), "{shown}");
        assert_eq!(shown["object"], "organization");
        assert_eq!(shown["urls"]["location"], "https://docs.test/base/v1/orgs/o");
        assert_eq!(shown["createdAt"], "1970-01-01T00:00:00Z");
        assert_eq!(shown.get("hostname"), None, "absent fields are omitted");
    }

    #[test]
    fn a_space_wears_the_envelope_and_every_required_field() {
        let (id, at) = ("s".parse().unwrap(), DateTime::UNIX_EPOCH);
        let new = Space::new(id, "o".parse().unwrap(), "r".parse().unwrap(), NewSpace::default(), at);
        let entity = Space { default_level: DefaultLevel::NoAccess, ..new };
        let shown =
            to_value(space(ShownSpace::unpublished(Granted::check(entity, &access(), |_| true).unwrap()), &links()))
                .unwrap();
        assert_eq!(keys(&shown["permissions"]), SpacePermissions::NAMES.iter().copied().collect());
        let required = [
            "object",
            "id",
            "title",
            "emoji",
            "visibility",
            "createdAt",
            "updatedAt",
            "mergeRules",
            "urls",
            "organization",
            "revision",
            "comments",
            "changeRequests",
            "changeRequestsOpen",
            "changeRequestsDraft",
        ];
        assert!(required.iter().all(|field| shown.get(field).is_some_and(|value| !value.is_null())), "{shown}");
        assert_eq!(shown["defaultLevel"], json!(null), "no access is shown as null");
        assert_eq!(shown["mergeRules"], json!({ "type": "inherit" }));
        assert_eq!(shown["urls"]["app"], "https://docs.test/base/v1/spaces/s");
    }
}
