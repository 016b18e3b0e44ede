//! Dates in Indian Standard Time: UTC+05:30 all the year, so fixed arithmetic is enough (domain.md 11).

/// The date of a Unix time in India as DD-MM-YYYY.
pub fn indian_date(unix_seconds: u64) -> String {
    let (year, month, day) = civil((unix_seconds + 19_800) / 86_400);
    format!("{day:02}-{month:02}-{year:04}")
}

/// Year, month and day of a day counted from 1970-01-01 (Howard Hinnant's days algorithm).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
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
}
