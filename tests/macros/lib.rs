//! The attribute of the black-box tests, used as `#[acceptance::test]`.
use proc_macro::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, FnArg, Ident, ItemFn, Pat, PatType, Result, Token, Type, parse_macro_input, parse_quote,
};

/// Runs an asynchronous test on both databases: `my_test::on_sqlite` and `my_test::on_postgres`.
///
/// A parameter of the type `World` gets a booted world, one of the type `Backend` the database. All other parameters
/// have an attribute of `rstest` (`#[case]`, `#[values(…)]`). The test runs on one thread, unless a second attribute
/// says how: `#[tokio::test(flavor = "multi_thread")]`. Without PostgreSQL, its case prints a message and passes.
///
/// Each case is a test with a world of its own. A parameter of the type `&World` gets one world for all cases, which
/// are one test then: to boot takes longer than to be refused. The output of a failed test ends with its case.
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
    let shares = parameters.iter().any(|parameter| matches!(parameter.source, Source::SharedWorld));
    let calls = if shares { calls(name, &parameters, &cases)? } else { Vec::new() };
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
                Source::SharedWorld => {
                    boots.push(quote!(let Some(#name) = ::acceptance::World::boot(#backend).await else { return };));
                }
                Source::Backend => values.push(backend.clone()),
                Source::Rstest(parameter) => {
                    given.push(parameter);
                    values.push(quote!(#name));
                }
            }
        }
        if shares {
            return quote! {
                #(#runs)*
                async fn #test() {
                    #(#boots)*
                    #(#calls)*
                }
            };
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

/// The calls of a test whose cases share a world.
fn calls(test: &Ident, parameters: &[Parameter], cases: &[Attribute]) -> Result<Vec<proc_macro2::TokenStream>> {
    if cases.is_empty() {
        return Err(Error::new(test.span(), "a world is shared by cases"));
    }
    let call = |case: &Attribute| -> Result<proc_macro2::TokenStream> {
        let mut given = case.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)?.into_iter();
        let value = |Parameter { name, source }: &Parameter| match source {
            Source::SharedWorld => Ok(quote!(&#name)),
            Source::Rstest(_) => {
                let value = given.next().map(Expr::into_token_stream);
                value.ok_or_else(|| Error::new(case.span(), "a parameter has no value"))
            }
            Source::World | Source::Backend => Err(Error::new(name.span(), "cases that share a world have no other")),
        };
        let values = parameters.iter().map(value).collect::<Result<Vec<_>>>()?;
        if let Some(extra) = given.next() {
            return Err(Error::new(extra.span(), "a case has more values than the test has parameters"));
        }
        let told = case.to_token_stream().to_string();
        Ok(quote! {
            let case = #told;
            eprintln!("{case}");
            #test(#(#values),*).await;
        })
    };
    cases.iter().map(call).collect()
}

fn is_named(ty: &Type, wanted: &str) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == wanted),
        _ => false,
    }
}

struct Parameter {
    name: Ident,
    source: Source,
}

/// What passes the value of a parameter.
enum Source {
    World,
    /// `&World`: one for all cases.
    SharedWorld,
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
        let is = |wanted: &str| is_named(&typed.ty, wanted);
        let is_shared = matches!(&*typed.ty, Type::Reference(to) if is_named(&to.elem, "World"));
        let source = match typed.attrs.is_empty() {
            false => Source::Rstest(given),
            true if is("World") => Source::World,
            true if is_shared => Source::SharedWorld,
            true if is("Backend") => Source::Backend,
            true => {
                let rule = "a parameter is a `World`, a `&World`, a `Backend`, or has an attribute of rstest";
                return Err(Error::new(span, rule));
            }
        };
        typed.attrs.clear();
        Ok(Self { name, source })
    }
}
