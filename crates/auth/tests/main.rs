//! The service in process, each test on its own database.

#[cfg(test)]
mod authenticator;
#[cfg(test)]
mod browser;
#[cfg(test)]
mod fake_server;
#[cfg(test)]
mod support;

#[cfg(test)]
mod acceptance;
#[cfg(test)]
mod admin;
#[cfg(test)]
mod admin_accounts;
#[cfg(test)]
mod attackers;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod both_ways;
#[cfg(test)]
mod callbacks;
#[cfg(test)]
mod captcha;
#[cfg(test)]
mod code_challenges;
#[cfg(test)]
mod columns;
#[cfg(test)]
mod endless_times;
#[cfg(test)]
mod enumeration;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod factors;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod housekeeping;
#[cfg(test)]
mod id_tokens;
#[cfg(test)]
mod identities;
#[cfg(test)]
mod imported;
#[cfg(test)]
mod imported_tokens;
#[cfg(test)]
mod invalidation;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod linking;
#[cfg(test)]
mod links;
#[cfg(test)]
mod mails;
#[cfg(test)]
mod nodes;
#[cfg(test)]
mod otp_attempts;
#[cfg(test)]
mod otp_pauses;
#[cfg(test)]
mod ownership_proof;
#[cfg(test)]
mod passkeys;
#[cfg(test)]
mod passwords;
#[cfg(test)]
mod phone_factors;
#[cfg(test)]
mod pipelines;
#[cfg(test)]
mod product;
#[cfg(test)]
mod protocol_attacks;
#[cfg(test)]
mod providers;
#[cfg(test)]
mod recovery;
#[cfg(test)]
mod redirects;
#[cfg(test)]
mod refresh;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod sessions_list;
#[cfg(test)]
mod sign_in;
#[cfg(test)]
mod sign_up;
#[cfg(test)]
mod slow_hooks;
#[cfg(test)]
mod unsigned_sessions;
#[cfg(test)]
mod user;
#[cfg(test)]
mod user_object;
#[cfg(test)]
mod wire;
