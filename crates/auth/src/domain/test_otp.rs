//! Phone numbers whose code is fixed (`[auth.sms.test_otp]` of config.toml), for tests.

use time::OffsetDateTime;

use crate::context::ServiceContext;

/// The fixed code of a number, while fixed codes are on.
pub(crate) fn of_phone<'a>(service: &'a ServiceContext, phone: &str, now: OffsetDateTime) -> Option<&'a str> {
    let sms = &service.settings.sms;
    let counts = sms.test_otp_valid_until.is_none_or(|until| now < until);
    sms.test_otp.get(phone).filter(|_| counts).map(String::as_str)
}
