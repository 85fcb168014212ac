//! The script before the first paint: the one script in a page. Its text is the same in all pages, so its hash is too.
use super::document::sha256;
use std::sync::LazyLock;

/// Restores the choices of the visitor: light or dark mode, the announcement that was closed, the tabs that were
/// opened. Until scripts take over, a tab that was opened is shown by a style sheet. The storage may be unavailable.
pub(super) const SCRIPT: &str = concat!(
    "(()=>{let e=document.documentElement,d=e.dataset,g=k=>{try{return localStorage.getItem(\"octavo-\"+k)}catch{}},",
    "t=g(\"theme\"),s;e.classList.add(\"js\");",
    "if(d.toggle!=\"no\"&&/^(light|dark|system)$/.test(t))d.theme=t;",
    "d.closed=g(\"closed\")||\"\";",
    "try{s=new CSSStyleSheet;s.replaceSync(JSON.parse(g(\"tabs\")).slice(0,9).reverse().map(x=>{",
    "let q=\">[data-tab=\"+CSS.escape(x)+\"]\",o=\"o-tabs:not([data-on]):has(\"+q+\")\";",
    "return o+\">[data-tab]{display:none}\"+o+q+\"{display:block}\"}).join(\"\"));",
    "document.adoptedStyleSheets=[s]}catch{}})()"
);

/// The SHA-256 of the script, in base64.
pub(super) static HASH: LazyLock<String> = LazyLock::new(|| sha256(SCRIPT));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_small_and_stays_in_its_element() {
        assert!(SCRIPT.len() <= 600, "{}", SCRIPT.len());
        assert!(!SCRIPT.contains('<'));
    }
}
