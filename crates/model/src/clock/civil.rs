//! The Gregorian calendar without zones: days since 1970 to dates and back, by counting from March in eras of 400 years.

/// A civil second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
}

/// From the year 0 to the end of the year 9999: what RFC 3339 can write.
pub(super) const SECONDS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

const DAY: i64 = 86_400;
/// Days from the first of March of the year 0 to 1970.
const TO_1970: i64 = 719_468;
const ERA: i64 = 146_097;

impl Civil {
    /// Of seconds since 1970.
    pub(super) const fn of(seconds: i64) -> Self {
        let of_day = seconds.rem_euclid(DAY);
        let days = seconds.div_euclid(DAY) + TO_1970;
        let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = (from_march + 2) % 12 + 1;
        Self {
            year: year + era * 400 + (month <= 2) as i64,
            month,
            day: of_year - (153 * from_march + 2) / 5 + 1,
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
        }
    }

    /// Seconds since 1970; none for what no calendar has. A leap second counts as the second before it.
    pub(super) fn seconds(mut self) -> Option<i64> {
        if self.second == 60 {
            self.second = 59;
        }
        let year = self.year - i64::from(self.month <= 2);
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let from_march = (self.month + 9) % 12;
        let of_year = (153 * from_march + 2) / 5 + self.day - 1;
        let days = era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - TO_1970;
        let seconds = days * DAY + self.hour * 3600 + self.minute * 60 + self.second;
        (Self::of(seconds) == self).then_some(seconds)
    }
}
