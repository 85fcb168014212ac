//! The form with which a visitor rates a page. It works without scripts.
use super::context::FrameContext;
use crate::texts::Word;
use domain::site::reader::SitePage;
use maud::{Markup, html};

/// The longest comment, in characters.
const LONGEST_COMMENT: &str = "2000";

/// The form; nothing if the site does not ask, in previews, and in exports.
pub(super) fn form(context: &FrameContext<'_>, page: &SitePage) -> Markup {
    if !context.customization.feedback.enabled || context.frame.preview || context.frame.exported {
        return html! {};
    }
    let ratings = [("bad", Word::Bad), ("ok", Word::Ok), ("good", Word::Good)];
    html! {
        form.o-feedback method="post" action=(context.own("feedback")) {
            input type="hidden" name="page" value=(page.id);
            input type="hidden" name="variant" value=(context.frame.variant);
            fieldset {
                legend { (context.word(Word::WasThisHelpful)) }
                div {
                    @for (value, word) in ratings {
                        label { input type="radio" name="rating" value=(value) required; span { (context.word(word)) } }
                    }
                }
            }
            div.o-comment {
                label for="comment" { (context.word(Word::Comment)) }
                textarea id="comment" name="comment" rows="3" maxlength=(LONGEST_COMMENT) {}
                button.o-button type="submit" { (context.word(Word::Send)) }
            }
        }
        p.o-thanks id="feedback-thanks" role="status" { (context.word(Word::Thanks)) }
    }
}
