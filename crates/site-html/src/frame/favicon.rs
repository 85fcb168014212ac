//! The icon of a site.
use super::context::characters;
use crate::theme;
use domain::site::SiteIcon;
use domain::site::customization::Customization;

/// The icon of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Favicon {
    /// An SVG document.
    Svg(String),
    /// The address of an image.
    At(String),
}

/// The icon that a site has, or else an open book on its colour.
pub fn favicon(icon: Option<&SiteIcon>, customization: &Customization) -> Favicon {
    match icon {
        Some(SiteIcon::Icon { light, .. }) => Favicon::At(light.as_str().to_owned()),
        Some(SiteIcon::Emoji(emoji)) => {
            let text = characters(emoji.as_str()).replace(['<', '>', '&'], "");
            let text = if text.is_empty() { "📖" } else { &text };
            Favicon::Svg(format!(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><text y='.9em' font-size='90'>{text}</text></svg>"
            ))
        }
        None => {
            let theme::Outside { accent, on_accent, .. } = theme::outside(customization);
            Favicon::Svg(format!(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='{accent}'/>\
                 <path d='M16 10c-2-2-5-2-8-2v14c3 0 6 0 8 2 2-2 5-2 8-2V8c-3 0-6 0-8 2v14' fill='none' stroke='{on_accent}' \
                 stroke-width='2'/></svg>"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_site_has_its_icon_or_a_book() {
        let of = |icon: serde_json::Value| {
            let icon: Option<SiteIcon> = serde_json::from_value(icon).unwrap();
            favicon(icon.as_ref(), &Customization::default())
        };
        let Favicon::Svg(book) = of(json!(null)) else { panic!() };
        assert!(book.starts_with("<svg") && book.contains("#346"), "{book}");
        let Favicon::Svg(emoji) = of(json!({"emoji": "1f680"})) else { panic!() };
        assert!(emoji.contains("🚀"), "{emoji}");
        let own = of(json!({"icon": {"light": "https://a.test/i.png", "dark": "https://a.test/i.png"}}));
        assert!(matches!(own, Favicon::At(address) if address == "https://a.test/i.png"));
    }
}
