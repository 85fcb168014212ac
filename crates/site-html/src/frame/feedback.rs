//! The form with which a visitor rates a page. It works without scripts.
use super::around::Around;
use crate::texts::Word;
use domain::site::reader::SitePage;
use maud::{Markup, html};

/// The longest comment, in characters.
const LONGEST_COMMENT: &str = "2000";

/// The form; nothing if the site does not ask, in previews, and in exports.
pub(super) fn form(around: &Around<'_>, page: &SitePage) -> Markup {
    if !around.customization.feedback.enabled || around.frame.preview || around.frame.exported {
        return html! {};
    }
    let ratings = [("bad", Word::Bad), ("ok", Word::Ok), ("good", Word::Good)];
    html! {
        form.o-feedback method="post" action=(around.own("feedback")) {
            input type="hidden" name="page" value=(page.id);
            input type="hidden" name="variant" value=(around.frame.variant);
            fieldset {
                legend { (around.word(Word::WasThisHelpful)) }
                @for (value, word) in ratings {
                    label { input type="radio" name="rating" value=(value) required; span { (around.word(word)) } }
                }
            }
            div.o-comment {
                label for="comment" { (around.word(Word::Comment)) }
                textarea id="comment" name="comment" rows="3" maxlength=(LONGEST_COMMENT) {}
                button.o-button type="submit" { (around.word(Word::Send)) }
            }
        }
        p.o-thanks id="feedback-thanks" role="status" { (around.word(Word::Thanks)) }
    }
}
