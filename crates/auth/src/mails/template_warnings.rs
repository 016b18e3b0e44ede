use std::{collections::BTreeSet, sync::Arc};

use banyan_config::{Auth, nearest};

use super::{Mails, Template, TemplateError, VARIABLES, key, template::Parsed};

/// Variables by which a reader shows that a mail reached them.
const PROOFS: [&str; 3] = ["Token", "TokenHash", "ConfirmationURL"];

/// What in the project's templates is likely a mistake, one sentence each: variables that no mail
/// has, or not the one that names them, stay empty, and a link of one leads nowhere; a mail without
/// a code or a link is of no use.
///
/// # Errors
/// All templates that cannot be read.
pub fn template_warnings(settings: &Auth) -> Result<Vec<String>, TemplateError> {
    let mails = Mails::new(settings)?;
    Ok(mails.templates.iter().flat_map(Template::warnings).collect())
}

impl Template {
    fn warnings(&self) -> Vec<String> {
        let general = &self.general;
        let mut sentences = Vec::new();
        let mut check = |place: String, text: &Parsed| sentences.extend(self.warnings_of(&place, text));
        let place = format!("config.toml: `{}", key(self.kind));
        check(format!("{place}.subject`"), &general.subject);
        check(format!("{place}.content_path`"), &general.content);
        for (locale, text) in &self.by_locale {
            let place = format!("banyan.toml: `auth.email.template.{}.{locale}", self.kind.name());
            // What it does not say itself was looked at.
            if !Arc::ptr_eq(&text.subject, &general.subject) {
                check(format!("{place}.subject`"), &text.subject);
            }
            if !Arc::ptr_eq(&text.content, &general.content) {
                check(format!("{place}.content_path`"), &text.content);
            }
        }
        sentences.extend(self.unusable());
        sentences
    }

    /// Texts with which nobody can prove that the mail reached them.
    fn unusable(&self) -> impl Iterator<Item = String> {
        let general = (format!("config.toml: `{}`", key(self.kind)), &self.general);
        let localized = self.by_locale.iter().map(|(locale, text)| {
            (format!("banyan.toml: `auth.email.template.{}.{locale}`", self.kind.name()), text)
        });
        let all = std::iter::once(general).chain(localized).filter(|_| !self.kind.is_notice());
        all.filter(|(_, text)| !self.carries_proof(&text.subject) && !self.carries_proof(&text.content)).map(|(place, _)| {
            format!("{place} shows neither {{{{ .Token }}}} nor a link with {{{{ .ConfirmationURL }}}}: nobody can use that mail")
        })
    }

    fn carries_proof(&self, text: &Parsed) -> bool {
        text.variables().iter().any(|(name, _)| PROOFS.contains(name) && self.kind.carries(name))
    }

    fn warnings_of(&self, place: &str, text: &Parsed) -> Vec<String> {
        let named: BTreeSet<(&str, bool)> = text.variables().into_iter().collect();
        let doubt = |(name, is_asked_for): (&str, bool)| {
            if !VARIABLES.contains(&name) {
                let meant =
                    nearest(name, VARIABLES).map(|meant| format!("; did you mean {{{{ .{meant} }}}}?"));
                let meant = meant.unwrap_or_default();
                return Some(format!(
                    "{place} names {{{{ .{name} }}}}, which no mail has: it stays empty{meant}"
                ));
            }
            let is_missing = !is_asked_for && !self.kind.carries(name);
            is_missing.then(|| format!("{place} names {{{{ .{name} }}}}, which this mail does not have"))
        };
        let mut sentences: Vec<String> = named.into_iter().filter_map(doubt).collect();
        sentences.dedup();
        sentences
    }
}

#[cfg(test)]
mod tests {
    use banyan_config::EmailTemplate;

    use super::*;

    fn template(subject: &str, content: &str) -> EmailTemplate {
        EmailTemplate { subject: Some(subject.into()), content: Some(content.into()) }
    }

    // rows: M37
    #[test]
    fn a_variable_that_no_mail_has_is_named_with_the_one_that_is_meant() {
        let mut auth = banyan_testkit::config().auth;
        assert_eq!(template_warnings(&auth).unwrap(), Vec::<String>::new(), "the built-in ones are right");
        let wrong = r#"<a href="{{ .ConfirmationUrl }}">sign in</a> {{ if .Tokn }}{{ .Tokn }}{{ end }} {{ .School }} {{ .Token }}"#;
        auth.templates.insert("magic_link".into(), template("{{ .token }} is your code", wrong));
        let hindi = EmailTemplate { subject: Some("{{ .Emial }}".into()), content: None };
        auth.localized_templates.insert("magic_link".into(), [("hi".to_owned(), hindi)].into());
        auth.notifications.insert("email_changed".into(), template("a", "{{ .OldEmial }}"));
        assert_eq!(
            template_warnings(&auth).unwrap(),
            [
                "config.toml: `auth.email.template.magic_link.subject` names {{ .token }}, which no mail has: it stays empty; \
                 did you mean {{ .Token }}?",
                "config.toml: `auth.email.template.magic_link.content_path` names {{ .ConfirmationUrl }}, which no mail has: it \
                 stays empty; did you mean {{ .ConfirmationURL }}?",
                "config.toml: `auth.email.template.magic_link.content_path` names {{ .School }}, which no mail has: it stays empty",
                "config.toml: `auth.email.template.magic_link.content_path` names {{ .Tokn }}, which no mail has: it stays \
                 empty; did you mean {{ .Token }}?",
                "banyan.toml: `auth.email.template.magic_link.hi.subject` names {{ .Emial }}, which no mail has: it stays \
                 empty; did you mean {{ .Email }}?",
                "config.toml: `auth.email.notification.email_changed.content_path` names {{ .OldEmial }}, which no mail has: it \
                 stays empty; did you mean {{ .OldEmail }}?",
            ]
        );
    }

    // rows: M38
    #[test]
    fn all_templates_that_cannot_be_read_are_told_at_once() {
        let mut auth = banyan_testkit::config().auth;
        auth.templates.insert("magic_link".into(), template("{{ .Token", "{{ if }}"));
        auth.notifications.insert("email_changed".into(), template("{{", "{{ .Email }}"));
        let told = template_warnings(&auth).unwrap_err().to_string();
        let keys: Vec<&str> = told.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
        assert_eq!(
            keys,
            [
                "auth.email.template.magic_link.subject",
                "auth.email.template.magic_link.content_path",
                "auth.email.notification.email_changed.subject",
            ]
        );
    }

    // rows: M41
    #[test]
    fn a_mail_without_a_code_or_a_link_is_named() {
        let mut auth = banyan_testkit::config().auth;
        auth.templates.insert("magic_link".into(), template("Welcome", "<p>Sign in to {{ .SiteURL }}</p>"));
        auth.templates.insert("recovery".into(), template("{{ .Token }}", "<p>Your code stands above</p>"));
        auth.templates
            .insert("invite".into(), template("Come", "{{ .SiteURL }}/in?token_hash={{ .TokenHash }}"));
        auth.notifications.insert("password_changed".into(), template("Changed", "It was"));
        let hindi = EmailTemplate { subject: None, content: Some("नमस्ते".into()) };
        auth.localized_templates.insert("invite".into(), [("hi".to_owned(), hindi)].into());
        assert_eq!(
            template_warnings(&auth).unwrap(),
            [
                "config.toml: `auth.email.template.magic_link` shows neither {{ .Token }} nor a link with {{ .ConfirmationURL }}: \
                 nobody can use that mail",
                "banyan.toml: `auth.email.template.invite.hi` shows neither {{ .Token }} nor a link with {{ .ConfirmationURL }}: \
                 nobody can use that mail",
            ]
        );
    }

    // rows: M35 M36
    #[test]
    fn a_variable_of_other_mails_is_named_unless_it_is_asked_for() {
        let mut auth = banyan_testkit::config().auth;
        auth.templates.insert("reauthentication".into(), template("{{ .Token }}", "{{ .ConfirmationURL }}"));
        let shared =
            "{{ if .NewEmail }}{{ .NewEmail }}{{ end }}{{ .Data.name }}{{ .SiteURL }}{{ .SendingTo }}";
        auth.templates.insert("recovery".into(), template("{{ .Token }} {{ .Provider }}", shared));
        auth.notifications.insert("password_changed".into(), template("{{ .Token }}", "{{ .Phone }}"));
        assert_eq!(
            template_warnings(&auth).unwrap(),
            [
                "config.toml: `auth.email.template.recovery.subject` names {{ .Provider }}, which this mail does not have",
                "config.toml: `auth.email.template.reauthentication.content_path` names {{ .ConfirmationURL }}, which this mail \
                 does not have",
                "config.toml: `auth.email.notification.password_changed.subject` names {{ .Token }}, which this mail does not have",
            ]
        );
    }
}
