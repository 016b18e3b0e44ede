/// What a mail is about (CONTRACT.md M30 to M36).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Confirmation,
    MagicLink,
    Recovery,
    Invite,
    EmailChange,
    Reauthentication,
    PasswordChanged,
    EmailChanged,
    PhoneChanged,
    IdentityLinked,
    IdentityUnlinked,
    FactorEnrolled,
    FactorUnenrolled,
}

/// Subject and page of a template.
type Text = (&'static str, &'static str);

impl Kind {
    pub(super) const ALL: [Self; 13] = [
        Self::Confirmation,
        Self::MagicLink,
        Self::Recovery,
        Self::Invite,
        Self::EmailChange,
        Self::Reauthentication,
        Self::PasswordChanged,
        Self::EmailChanged,
        Self::PhoneChanged,
        Self::IdentityLinked,
        Self::IdentityUnlinked,
        Self::FactorEnrolled,
        Self::FactorUnenrolled,
    ];

    /// Name of its template, or of its notice, in config.toml.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::MagicLink => "magic_link",
            Self::Recovery => "recovery",
            Self::Invite => "invite",
            Self::EmailChange => "email_change",
            Self::Reauthentication => "reauthentication",
            Self::PasswordChanged => "password_changed",
            Self::EmailChanged => "email_changed",
            Self::PhoneChanged => "phone_changed",
            Self::IdentityLinked => "identity_linked",
            Self::IdentityUnlinked => "identity_unlinked",
            Self::FactorEnrolled => "mfa_factor_enrolled",
            Self::FactorUnenrolled => "mfa_factor_unenrolled",
        }
    }

    /// Whether it only tells of a change that was made. Each notice is off unless the project
    /// switches it on.
    pub(crate) fn is_notice(self) -> bool {
        match self {
            Self::Confirmation
            | Self::MagicLink
            | Self::Recovery
            | Self::Invite
            | Self::EmailChange
            | Self::Reauthentication => false,
            Self::PasswordChanged
            | Self::EmailChanged
            | Self::PhoneChanged
            | Self::IdentityLinked
            | Self::IdentityUnlinked
            | Self::FactorEnrolled
            | Self::FactorUnenrolled => true,
        }
    }

    /// Whether one of the variables of mails says something in this one.
    pub(super) fn carries(self, variable: &str) -> bool {
        match variable {
            "Token" => !self.is_notice(),
            "ConfirmationURL" | "TokenHash" | "RedirectTo" => !self.link_type().is_empty(),
            "NewEmail" => self == Self::EmailChange,
            "OldPhone" => self == Self::PhoneChanged,
            "Provider" => matches!(self, Self::IdentityLinked | Self::IdentityUnlinked),
            "FactorType" => matches!(self, Self::FactorEnrolled | Self::FactorUnenrolled),
            _ => true,
        }
    }

    /// What hooks and the header `$messageType` call it: the template's name, with `_notification`
    /// for notices.
    pub(crate) fn message_type(self) -> String {
        if self.is_notice() { format!("{}_notification", self.name()) } else { self.name().to_owned() }
    }

    /// `type` of its link; empty for mails without one.
    pub(crate) fn link_type(self) -> &'static str {
        match self {
            Self::Confirmation => "signup",
            Self::MagicLink => "magiclink",
            Self::Recovery => "recovery",
            Self::Invite => "invite",
            Self::EmailChange => "email_change",
            Self::Reauthentication
            | Self::PasswordChanged
            | Self::EmailChanged
            | Self::PhoneChanged
            | Self::IdentityLinked
            | Self::IdentityUnlinked
            | Self::FactorEnrolled
            | Self::FactorUnenrolled => "",
        }
    }

    /// Name of the flow that it begins (CONTRACT.md T14).
    pub(crate) fn authentication_method(self) -> &'static str {
        match self {
            Self::Confirmation => "email/signup",
            Self::Recovery => "recovery",
            Self::Invite => "invite",
            Self::EmailChange => "email_change",
            Self::MagicLink
            | Self::Reauthentication
            | Self::PasswordChanged
            | Self::EmailChanged
            | Self::PhoneChanged
            | Self::IdentityLinked
            | Self::IdentityUnlinked
            | Self::FactorEnrolled
            | Self::FactorUnenrolled => "magiclink",
        }
    }

    /// The template where the project gives none.
    pub(super) fn built_in(self) -> Text {
        match self {
            Self::Confirmation => {
                ("{{ .Token }} is your confirmation code", include_str!("built_in/confirmation.html"))
            }
            Self::MagicLink => {
                ("{{ .Token }} is your sign-in code", include_str!("built_in/magic_link.html"))
            }
            Self::Recovery => {
                ("{{ .Token }} is your code to reset the password", include_str!("built_in/recovery.html"))
            }
            Self::Invite => ("You have been invited", include_str!("built_in/invite.html")),
            Self::EmailChange => (
                "{{ .Token }} is your code to change the e-mail address",
                include_str!("built_in/email_change.html"),
            ),
            Self::Reauthentication => {
                ("{{ .Token }} is your verification code", include_str!("built_in/reauthentication.html"))
            }
            Self::EmailChanged => {
                ("Your e-mail address was changed", include_str!("built_in/email_changed.html"))
            }
            Self::PhoneChanged => {
                ("Your phone number was changed", include_str!("built_in/phone_changed.html"))
            }
            Self::IdentityLinked => (
                "A new sign-in method was linked to your account",
                include_str!("built_in/identity_linked.html"),
            ),
            Self::IdentityUnlinked => (
                "A sign-in method was removed from your account",
                include_str!("built_in/identity_unlinked.html"),
            ),
            Self::FactorEnrolled => (
                "A new verification method was added to your account",
                include_str!("built_in/mfa_factor_enrolled.html"),
            ),
            Self::FactorUnenrolled => (
                "A verification method was removed from your account",
                include_str!("built_in/mfa_factor_unenrolled.html"),
            ),
            Self::PasswordChanged => {
                ("Your password was changed", include_str!("built_in/password_changed.html"))
            }
        }
    }
}
