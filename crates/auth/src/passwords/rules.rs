use banyan_config::Auth;

/// What the project asks of a new password (CONTRACT.md PW4, PW5).
pub(super) struct Rules {
    min_length: usize,
    required_characters: Vec<String>,
}

impl Rules {
    pub(super) fn new(settings: &Auth) -> Self {
        let passwords = &settings.passwords;
        Self { min_length: passwords.min_length, required_characters: passwords.required_characters.clone() }
    }

    /// The reasons against a password, each with its sentence.
    pub(super) fn judge(&self, password: &str) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        if password.chars().count() < self.min_length {
            found.push(("length", format!("Password should be at least {} characters.", self.min_length)));
        }
        if self.required_characters.iter().any(|set| !password.contains(|c| set.contains(c))) {
            found.push((
                "characters",
                format!(
                    "Password should contain at least one character of each: {}.",
                    self.required_characters.join(", ")
                ),
            ));
        }
        found
    }
}
