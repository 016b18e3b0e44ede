//! Dates in Indian Standard Time: UTC+05:30 all the year, so fixed arithmetic is enough
//! (SPECIFICATION.md DOM-11).

use std::fmt;

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    year: u64,
    month: u64,
    day: u64,
}

impl Day {
    /// The day of a Unix time in India.
    pub fn in_india(unix_seconds: u64) -> Self {
        Self::of_count((unix_seconds + 19_800) / 86_400)
    }

    /// Reads `2027-01-15`, also with a time behind it, and `15-01-2027`, `15/01/2027`,
    /// `15.01.2027`; nothing for a day that the calendar does not have, or outside the years 2000
    /// to 2199.
    pub fn parse(text: &str) -> Option<Self> {
        let date = text.split(['T', 't', ' ']).next()?;
        let numbers: Vec<&str> = date.split(['-', '/', '.']).collect();
        let [first, month, last] = numbers[..] else { return None };
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?;
        let (year, day) = if first.len() == 4 { (first, last) } else { (last, first) };
        if year.len() != 4 || month.len() > 2 || day.len() > 2 {
            return None;
        }
        let date = Self { year: number(year)?, month: number(month)?, day: number(day)? };
        let real = (2000..2200).contains(&date.year)
            && (1..=12).contains(&date.month)
            && (1..=31).contains(&date.day)
            && Self::of_count(date.count()) == date;
        real.then_some(date)
    }

    /// The day of the week, 0 for Monday.
    pub fn weekday(self) -> usize {
        // 1970-01-01 was a Thursday.
        usize::try_from((self.count() + 3) % 7).unwrap_or(0)
    }

    /// The school year, such as `2026-27`; it begins in April.
    pub fn school_year(self) -> String {
        let first = if self.month >= 4 { self.year } else { self.year - 1 };
        format!("{first}-{:02}", (first + 1) % 100)
    }

    /// The day counted from 1970-01-01 (Howard Hinnant's days algorithm).
    fn count(self) -> u64 {
        let year = self.year - u64::from(self.month <= 2);
        let (era, year_of_era) = (year / 400, year % 400);
        let shifted_month = (self.month + 9) % 12;
        let day_of_year = (153 * shifted_month + 2) / 5 + self.day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 719_468
    }

    fn of_count(days: u64) -> Self {
        let shifted = days + 719_468;
        let era = shifted / 146_097;
        let day_of_era = shifted % 146_097;
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        Self { year, month, day }
    }
}

impl fmt::Display for Day {
    /// Writes the date as DD-MM-YYYY.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}-{:02}-{:04}", self.day, self.month, self.year)
    }
}

/// The date of a Unix time in India as DD-MM-YYYY.
pub fn indian_date(unix_seconds: u64) -> String {
    Day::in_india(unix_seconds).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_changes_at_half_past_six_in_the_evening_utc() {
        let table = [
            (0, "01-01-1970"),
            (951_782_400, "29-02-2000"),
            (1_767_205_799, "31-12-2025"),
            (1_767_205_800, "01-01-2026"),
            (1_799_951_400, "15-01-2027"),
        ];
        for (seconds, date) in table {
            assert_eq!(indian_date(seconds), date, "{seconds}");
        }
    }

    #[test]
    fn a_day_is_read_as_the_form_and_as_teachers_write_it() {
        for text in ["2027-01-15", "2027-01-15T00:00:00Z", "15-01-2027", "15/1/2027", "15.01.2027"] {
            assert_eq!(Day::parse(text).map(|day| day.to_string()).as_deref(), Some("15-01-2027"), "{text}");
        }
        for text in
            ["", "soon", "2027-02-29", "2027-13-01", "31-04-2027", "1999-12-31", "15-01-27", "+1-01-2027"]
        {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }

    #[test]
    fn weekdays_and_school_years_are_counted() {
        let table = [
            ("1970-01-01", None),
            ("2024-02-29", Some((3, "2023-24"))),
            ("2026-11-21", Some((5, "2026-27"))),
            ("2027-01-15", Some((4, "2026-27"))),
            ("2027-04-01", Some((3, "2027-28"))),
            ("2100-01-01", Some((4, "2099-00"))),
        ];
        for (text, expected) in table {
            let day = Day::parse(text).map(|day| (day.weekday(), day.school_year()));
            assert_eq!(day, expected.map(|(weekday, year)| (weekday, year.to_owned())), "{text}");
        }
    }
}
