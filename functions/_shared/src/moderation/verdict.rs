use crate::error::FunctionError;

/// How a request was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to say.
    Safe,
    /// Allowed, with a note to the teacher in the document.
    Guidance(Guidance),
    /// Refused, with what no message may ask for ([`super::forbidden_requests`]).
    Improper {
        /// The field of the request that asks for it.
        field: &'static str,
    },
    /// Refused, with a pointer to the school counsellor.
    Sensitive,
    /// Refused.
    Toxic,
}

/// What a teacher is reminded of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guidance {
    /// Body and adolescence, mental health, discrimination, violence in history.
    Delicate,
    /// Flames, acids, electricity, sharp tools, outdoor work.
    Practical,
}

impl Verdict {
    /// The stricter of two judgements; of two notes the first.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if other.severity() > self.severity() { other } else { self }
    }

    fn severity(self) -> u8 {
        match self {
            Self::Safe => 0,
            Self::Guidance(_) => 1,
            Self::Improper { .. } => 2,
            Self::Sensitive => 3,
            Self::Toxic => 4,
        }
    }

    /// The refusal for the client, where there is one.
    ///
    /// # Errors
    /// [`FunctionError::UnsafeRequest`], [`FunctionError::SensitiveRequest`] and
    /// [`FunctionError::ImproperRequest`] for what is refused.
    pub fn allowed(self) -> Result<(), FunctionError> {
        match self {
            Self::Safe | Self::Guidance(_) => Ok(()),
            Self::Improper { field } => Err(FunctionError::ImproperRequest { field }),
            Self::Sensitive => Err(FunctionError::SensitiveRequest),
            Self::Toxic => Err(FunctionError::UnsafeRequest),
        }
    }
}
