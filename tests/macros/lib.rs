//! The attribute of the black-box tests, used as `#[acceptance::test]`.
use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Error, FnArg, Ident, ItemFn, Pat, PatType, Result, Type, parse_macro_input, parse_quote};

/// Runs an asynchronous test on both databases: `my_test::on_sqlite` and `my_test::on_postgres`.
///
/// A parameter of the type `World` gets a booted world, one of the type `Backend` the database. All other parameters
/// have an attribute of `rstest` (`#[case]`, `#[values(…)]`). The test runs on one thread, unless a second attribute
/// says how: `#[tokio::test(flavor = "multi_thread")]`. Without PostgreSQL, its case prints a message and passes.
#[proc_macro_attribute]
pub fn test(_: TokenStream, function: TokenStream) -> TokenStream {
    let function = parse_macro_input!(function as ItemFn);
    both(function).unwrap_or_else(Error::into_compile_error).into()
}

fn both(mut function: ItemFn) -> Result<proc_macro2::TokenStream> {
    if function.sig.asyncness.is_none() {
        return Err(Error::new(function.sig.span(), "this must be an asynchronous function"));
    }
    // Attributes that concern the runs go to the test of each database.
    let runs_it = |attribute: &Attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "test");
    let is_case = |attribute: &Attribute| attribute.path().segments.first().is_some_and(|first| first.ident == "case");
    let mut runs: Vec<_> = function.attrs.extract_if(.., |one| runs_it(one)).collect();
    let cases: Vec<_> = function.attrs.extract_if(.., |one| is_case(one)).collect();
    if runs.is_empty() {
        runs.push(parse_quote!(#[::actix_web::test]));
    }
    let parameters = function.sig.inputs.iter_mut().map(Parameter::take).collect::<Result<Vec<_>>>()?;
    let name = &function.sig.ident;
    let on = |test: &str, backend: &str| {
        let (test, backend) = (format_ident!("on_{test}"), format_ident!("{backend}"));
        let backend = quote!(::acceptance::Backend::#backend);
        let (mut boots, mut values, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for Parameter { name, source } in &parameters {
            match source {
                Source::World => {
                    boots.push(quote!(let Some(#name) = ::acceptance::World::boot(#backend).await else { return };));
                    values.push(quote!(#name));
                }
                Source::Backend => values.push(backend.clone()),
                Source::Rstest(parameter) => {
                    given.push(parameter);
                    values.push(quote!(#name));
                }
            }
        }
        let rstest = (!given.is_empty()).then(|| quote!(#[::rstest::rstest]));
        quote! {
            #rstest
            #(#cases)*
            #(#runs)*
            async fn #test(#(#given),*) {
                #(#boots)*
                #name(#(#values),*).await
            }
        }
    };
    let (sqlite, postgres) = (on("sqlite", "Sqlite"), on("postgres", "Postgres"));
    Ok(quote! {
        #function
        mod #name {
            use super::*;
            #sqlite
            #postgres
        }
    })
}

struct Parameter {
    name: Ident,
    source: Source,
}

/// What passes the value of a parameter.
enum Source {
    World,
    Backend,
    /// `rstest`, to this parameter with its attributes.
    Rstest(PatType),
}

impl Parameter {
    /// Reads a parameter of the function, and takes its attributes away.
    fn take(parameter: &mut FnArg) -> Result<Self> {
        let span = parameter.span();
        let FnArg::Typed(typed) = parameter else { return Err(Error::new(span, "a test has no receiver")) };
        let Pat::Ident(pattern) = &*typed.pat else { return Err(Error::new(span, "a parameter has a name")) };
        let name = pattern.ident.clone();
        let mut given = typed.clone();
        given.pat = parse_quote!(#name);
        let is = |wanted: &str| matches!(&*typed.ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == wanted));
        let source = match typed.attrs.is_empty() {
            false => Source::Rstest(given),
            true if is("World") => Source::World,
            true if is("Backend") => Source::Backend,
            true => {
                let rule = "a parameter is a `World`, a `Backend`, or has an attribute of rstest";
                return Err(Error::new(span, rule));
            }
        };
        typed.attrs.clear();
        Ok(Self { name, source })
    }
}
