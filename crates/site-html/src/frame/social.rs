//! Accounts on social networks.
use super::context::FrameContext;
use super::href::Href;
use crate::texts::Word;
use domain::site::customization::{SocialAccount, SocialDisplay, SocialPlatform};
use maud::{Markup, html};
use url::Url;

/// The accounts that are shown at a place.
pub(super) fn accounts(context: &FrameContext<'_>, at: impl Fn(&SocialDisplay) -> bool) -> Markup {
    let all = context.customization.social_accounts.iter().filter(|account| at(&account.display));
    let all: Vec<(&SocialAccount, String)> = all.filter_map(|account| Some((account, address(account)?))).collect();
    if all.is_empty() {
        return html! {};
    }
    html! {
        ul.o-social aria-label=(context.word(Word::SocialAccounts)) {
            @for (account, address) in &all {
                @let name = name(account.platform);
                @let icon = context.icon(icon(account.platform));
                li {
                    (context.link(&Href { href: address.clone(), external: true }, None, &html! {
                        @if icon.0.is_empty() { (name) } @else { (icon) span.o-hidden { (name) } }
                    }))
                }
            }
        }
    }
}

fn name(platform: SocialPlatform) -> &'static str {
    match platform {
        SocialPlatform::Twitter => "X",
        SocialPlatform::Instagram => "Instagram",
        SocialPlatform::Facebook => "Facebook",
        SocialPlatform::Linkedin => "LinkedIn",
        SocialPlatform::Github => "GitHub",
        SocialPlatform::Discord => "Discord",
        SocialPlatform::Slack => "Slack",
        SocialPlatform::Youtube => "YouTube",
        SocialPlatform::Tiktok => "TikTok",
        SocialPlatform::Reddit => "Reddit",
        SocialPlatform::Bluesky => "Bluesky",
        SocialPlatform::Mastodon => "Mastodon",
        SocialPlatform::Threads => "Threads",
        SocialPlatform::Medium => "Medium",
    }
}

fn icon(platform: SocialPlatform) -> &'static str {
    match platform {
        SocialPlatform::Twitter => "x-twitter",
        other => other.as_str(),
    }
}

/// The address of an account; `None` if its name cannot be in one.
fn address(account: &SocialAccount) -> Option<String> {
    let handle = account.handle.as_str().trim();
    if let Ok(url) = Url::parse(handle)
        && matches!(url.scheme(), "http" | "https")
    {
        return Some(url.into());
    }
    let bare = handle.trim_start_matches('@');
    let has_kind = |kinds: &[&str]| kinds.iter().any(|kind| bare.starts_with(kind));
    let (start, rest) = match account.platform {
        SocialPlatform::Twitter => ("https://x.com/", bare.to_owned()),
        SocialPlatform::Instagram => ("https://www.instagram.com/", bare.to_owned()),
        SocialPlatform::Facebook => ("https://www.facebook.com/", bare.to_owned()),
        SocialPlatform::Linkedin if has_kind(&["company/", "in/", "school/", "showcase/"]) => {
            ("https://www.linkedin.com/", bare.to_owned())
        }
        SocialPlatform::Linkedin => ("https://www.linkedin.com/in/", bare.to_owned()),
        SocialPlatform::Github => ("https://github.com/", bare.to_owned()),
        SocialPlatform::Discord => ("https://discord.gg/", bare.to_owned()),
        SocialPlatform::Slack => ("https://slack.com/app_redirect?team=", bare.to_owned()),
        SocialPlatform::Youtube if has_kind(&["channel/", "c/", "user/"]) => {
            ("https://www.youtube.com/", bare.to_owned())
        }
        SocialPlatform::Youtube => ("https://www.youtube.com/@", bare.to_owned()),
        SocialPlatform::Tiktok => ("https://www.tiktok.com/@", bare.to_owned()),
        SocialPlatform::Reddit if has_kind(&["r/", "u/", "user/"]) => ("https://www.reddit.com/", bare.to_owned()),
        SocialPlatform::Reddit => ("https://www.reddit.com/r/", bare.to_owned()),
        SocialPlatform::Bluesky => ("https://bsky.app/profile/", bare.to_owned()),
        SocialPlatform::Mastodon => match bare.split_once('@') {
            Some((user, host)) => return checked(&format!("https://{host}/@{}", encoded(user))),
            None => ("https://mastodon.social/@", bare.to_owned()),
        },
        SocialPlatform::Threads => ("https://www.threads.net/@", bare.to_owned()),
        SocialPlatform::Medium => ("https://medium.com/@", bare.to_owned()),
    };
    checked(&format!("{start}{}", encoded(&rest)))
}

/// A part of a path: slashes stay.
fn encoded(text: &str) -> String {
    let parts = text.split('/').map(|part| url::form_urlencoded::byte_serialize(part.as_bytes()).collect::<String>());
    parts.collect::<Vec<_>>().join("/").replace('+', "%20")
}

fn checked(address: &str) -> Option<String> {
    Url::parse(address).ok().filter(|url| url.scheme() == "https" && url.has_host()).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case("github", "octavo", "https://github.com/octavo")]
    #[case("twitter", "@octavo", "https://x.com/octavo")]
    #[case("linkedin", "company/octavo", "https://www.linkedin.com/company/octavo")]
    #[case("linkedin", "ada", "https://www.linkedin.com/in/ada")]
    #[case("mastodon", "@ada@social.example", "https://social.example/@ada")]
    #[case("reddit", "octavo", "https://www.reddit.com/r/octavo")]
    #[case("github", "https://github.com/octavo", "https://github.com/octavo")]
    #[case("github", "javascript:alert(1)", "https://github.com/javascript%3Aalert%281%29")]
    #[case("github", "\"><script>", "https://github.com/%22%3E%3Cscript%3E")]
    fn an_account_has_an_address(#[case] platform: &str, #[case] handle: &str, #[case] expected: &str) {
        let account = serde_json::from_value(json!({"platform": platform, "handle": handle})).unwrap();
        assert_eq!(address(&account).as_deref(), Some(expected));
    }

    #[test]
    fn a_host_that_is_none_is_no_address() {
        let account = serde_json::from_value(json!({"platform": "mastodon", "handle": "@ada@a b"})).unwrap();
        assert_eq!(address(&account), None);
    }
}
