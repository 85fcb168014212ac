//! Dates in words.
use super::Texts;
use chrono::{Datelike, NaiveDate};
use domain::site::customization::Locale;

/// The months of a language, in the form that they have beside a day, separated by spaces.
fn months(locale: Locale) -> Option<&'static str> {
    Some(match locale {
        Locale::En => "January February March April May June July August September October November December",
        Locale::Fr => "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        Locale::Es => "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        Locale::De => "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        Locale::Nl => "januari februari maart april mei juni juli augustus september oktober november december",
        Locale::No => "januar februar mars april mai juni juli august september oktober november desember",
        Locale::PtBr => "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        Locale::Ru => "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        Locale::Ar => "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
        Locale::He => "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר",
        Locale::Zh | Locale::Ja => return None,
    })
}

impl Texts {
    /// A day in words: `May 6, 2024`.
    pub fn date(&self, day: NaiveDate) -> String {
        let (year, number) = (day.year(), day.day());
        let month = months(self.locale).and_then(|months| months.split(' ').nth(day.month0() as usize));
        let Some(month) = month else {
            return format!("{year}年{}月{number}日", day.month());
        };
        match self.locale {
            Locale::En => format!("{month} {number}, {year}"),
            Locale::De | Locale::No => format!("{number}. {month} {year}"),
            Locale::Es | Locale::PtBr => format!("{number} de {month} de {year}"),
            Locale::Fr if number == 1 => format!("1er {month} {year}"),
            Locale::Ru => format!("{number} {month} {year} г."),
            Locale::He => format!("{number} ב{month} {year}"),
            _ => format!("{number} {month} {year}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(Locale::En, "May 6, 2024")]
    #[case(Locale::Fr, "6 mai 2024")]
    #[case(Locale::Es, "6 de mayo de 2024")]
    #[case(Locale::Zh, "2024年5月6日")]
    #[case(Locale::Ja, "2024年5月6日")]
    #[case(Locale::De, "6. Mai 2024")]
    #[case(Locale::Nl, "6 mei 2024")]
    #[case(Locale::No, "6. mai 2024")]
    #[case(Locale::PtBr, "6 de maio de 2024")]
    #[case(Locale::Ru, "6 мая 2024 г.")]
    #[case(Locale::Ar, "6 مايو 2024")]
    #[case(Locale::He, "6 במאי 2024")]
    fn a_day_is_written_as_people_do(#[case] locale: Locale, #[case] expected: &str) {
        let day = NaiveDate::from_ymd_opt(2024, 5, 6).unwrap();
        assert_eq!(Texts { locale }.date(day), expected);
    }
}
