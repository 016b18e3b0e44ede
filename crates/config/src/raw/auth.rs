//! `[auth]` as written, in config.toml and in banyan.toml.

use std::collections::BTreeMap;

use serde::Deserialize;

section! {
    /// `[auth]`.
    RawAuth {
        enabled: bool = true,
        site_url: String = "http://127.0.0.1:3000".into(),
        external_url: Option<String> = None,
        additional_redirect_urls: Vec<String> = vec!["https://127.0.0.1:3000".into()],
        jwt_expiry: u64 = 3600,
        jwt_issuer: Option<String> = None,
        signing_keys_path: Option<String> = None,
        enable_refresh_token_rotation: bool = true,
        refresh_token_reuse_interval: u64 = 10,
        enable_signup: bool = true,
        enable_anonymous_sign_ins: bool = false,
        enable_manual_linking: bool = false,
        minimum_password_length: u16 = 6,
        password_requirements: String = String::new(),
        publishable_key: Option<String> = None,
        secret_key: Option<String> = None,
        jwt_secret: Option<String> = None,
        anon_key: Option<String> = None,
        service_role_key: Option<String> = None,
        rate_limit: RawRateLimit = RawRateLimit::default(),
        captcha: RawCaptcha = RawCaptcha::default(),
        email: RawEmail = RawEmail::default(),
        sms: RawSms = RawSms::default(),
        sessions: RawSessions = RawSessions::default(),
        hook: RawHooks = RawHooks::default(),
        mfa: RawMfa = RawMfa::default(),
        passkey: RawSwitch = RawSwitch::default(),
        webauthn: RawWebauthn = RawWebauthn::default(),
        external: BTreeMap<String, RawProvider> = BTreeMap::new(),
        web3: BTreeMap<String, RawSwitch> = BTreeMap::new(),
        oauth_server: RawOAuthServer = RawOAuthServer::default(),
        third_party: BTreeMap<String, RawThirdParty> = BTreeMap::new(),
    }
}

section! {
    /// `[auth.rate_limit]`, in events an hour (`email_sent`, `sms_sent`, `anonymous_users`) or in
    /// five minutes (the others).
    RawRateLimit {
        email_sent: Option<u32> = None,
        sms_sent: u32 = 30,
        anonymous_users: u32 = 30,
        token_refresh: u32 = 150,
        sign_in_sign_ups: u32 = 30,
        token_verifications: u32 = 30,
        web3: u32 = 30,
    }
}

section! {
    /// `[auth.captcha]`.
    RawCaptcha {
        enabled: bool = false,
        provider: String = String::new(),
        secret: String = String::new(),
    }
}

section! {
    /// `[auth.email]`.
    RawEmail {
        enabled or "enable_signup": bool = true,
        enable_confirmations: bool = false,
        double_confirm_changes: bool = true,
        secure_password_change: bool = false,
        require_current_password: bool = false,
        max_frequency: String = "1s".into(),
        otp_length: u8 = 6,
        otp_expiry: u64 = 3600,
        smtp: Option<RawSmtp> = None,
        template: BTreeMap<String, RawTemplate> = BTreeMap::new(),
        notification: BTreeMap<String, RawNotification> = BTreeMap::new(),
    }
}

section! {
    /// `[auth.email.smtp]`.
    RawSmtp {
        enabled: bool = true,
        host: String = String::new(),
        port: u16 = 587,
        user: String = String::new(),
        pass: String = String::new(),
        admin_email: String = String::new(),
        sender_name: String = String::new(),
    }
}

section! {
    /// `[auth.email.template.<name>]`, and `[auth.email.template.<name>.<locale>]` of banyan.toml.
    RawTemplate {
        subject: Option<String> = None,
        content_path: Option<String> = None,
    }
}

section! {
    /// `[auth.email.notification.<name>]`.
    RawNotification {
        enabled: bool = false,
        subject: Option<String> = None,
        content_path: Option<String> = None,
    }
}

section! {
    /// `[auth.sms]`.
    RawSms {
        enable_signup or "enabled": bool = false,
        enable_confirmations: bool = false,
        template: String = "Your code is {{ .Code }}".into(),
        max_frequency: String = "5s".into(),
        test_otp: BTreeMap<String, String> = BTreeMap::new(),
        twilio: RawSmsProvider = RawSmsProvider::default(),
        twilio_verify: RawSmsProvider = RawSmsProvider::default(),
        messagebird: RawSmsProvider = RawSmsProvider::default(),
        textlocal: RawSmsProvider = RawSmsProvider::default(),
        vonage: RawSmsProvider = RawSmsProvider::default(),
    }
}

section! {
    /// `[auth.sms.<provider>]`: may be written, is not sent through (auth/CONTRACT.md X13).
    RawSmsProvider {
        enabled: bool = false,
        account_sid: String = String::new(),
        message_service_sid: String = String::new(),
        auth_token: String = String::new(),
        originator: String = String::new(),
        access_key: String = String::new(),
        sender: String = String::new(),
        api_key: String = String::new(),
        api_secret: String = String::new(),
        from: String = String::new(),
    }
}

section! {
    /// `[auth.sessions]`.
    RawSessions {
        timebox: String = "0s".into(),
        inactivity_timeout: String = "0s".into(),
    }
}

section! {
    /// `[auth.hook.<point>]`, a field a point.
    RawHooks {
        custom_access_token: RawHook = RawHook::default(),
        send_email: RawHook = RawHook::default(),
        send_sms: RawHook = RawHook::default(),
        mfa_verification_attempt: RawHook = RawHook::default(),
        password_verification_attempt: RawHook = RawHook::default(),
        before_user_created: RawHook = RawHook::default(),
        after_user_created: RawHook = RawHook::default(),
    }
}

section! {
    /// One hook.
    RawHook {
        enabled: bool = false,
        uri: String = String::new(),
        secrets: String = String::new(),
    }
}

section! {
    /// `[auth.mfa]`.
    RawMfa {
        max_enrolled_factors: u32 = 10,
        totp: RawFactor = RawFactor::default(),
        phone: RawPhoneFactor = RawPhoneFactor::default(),
        web_authn: RawFactor = RawFactor::default(),
    }
}

section! {
    /// `[auth.mfa.totp]`, `[auth.mfa.web_authn]`.
    RawFactor {
        enroll_enabled: bool = false,
        verify_enabled: bool = false,
    }
}

section! {
    /// `[auth.mfa.phone]`.
    RawPhoneFactor {
        enroll_enabled: bool = false,
        verify_enabled: bool = false,
        otp_length: u8 = 6,
        template: String = "Your code is {{ .Code }}".into(),
        max_frequency: String = "5s".into(),
    }
}

section! {
    /// A section that says only whether something is on.
    RawSwitch { enabled: bool = false }
}

section! {
    /// `[auth.webauthn]`.
    RawWebauthn {
        rp_id: Option<String> = None,
        rp_display_name: Option<String> = None,
        rp_origins: Vec<String> = Vec::new(),
    }
}

section! {
    /// `[auth.external.<provider>]`.
    RawProvider {
        enabled: bool = false,
        client_id: String = String::new(),
        secret: String = String::new(),
        redirect_uri: String = String::new(),
        url: String = String::new(),
        skip_nonce_check: bool = false,
        email_optional: bool = false,
    }
}

section! {
    /// `[auth.oauth_server]`: read to say that it is not offered.
    RawOAuthServer {
        enabled: bool = false,
        authorization_url_path: String = "/oauth/consent".into(),
        allow_dynamic_registration: bool = false,
    }
}

section! {
    /// `[auth.third_party.<issuer>]`: read to say that it is not offered.
    RawThirdParty {
        enabled: bool = false,
        project_id: String = String::new(),
        tenant: String = String::new(),
        tenant_region: String = String::new(),
        user_pool_id: String = String::new(),
        user_pool_region: String = String::new(),
        domain: String = String::new(),
        issuer_url: String = String::new(),
    }
}

section! {
    /// `[auth]` of banyan.toml: settings for which the official file has no key. `GOTRUE_…`
    /// variables win over them.
    RawBanyanAuth {
        legacy_keys: bool = true,
        single_session_per_user: bool = false,
        require_current_password: bool = false,
        hide_unknown_users: bool = false,
        max_request_duration: String = "10s".into(),
        cleanup: bool = true,
        leaked_passwords: RawLeakedPasswords = RawLeakedPasswords::default(),
        audit_log: RawAuditLog = RawAuditLog::default(),
        captcha: RawCaptchaService = RawCaptchaService::default(),
        mfa: RawBanyanMfa = RawBanyanMfa::default(),
        email: RawBanyanEmail = RawBanyanEmail::default(),
        id_token_issuers: BTreeMap<String, Vec<String>> = BTreeMap::new(),
        client_address_header: String = String::new(),
        trusted_proxies: Vec<String> = vec!["127.0.0.0/8".into(), "::1/128".into()],
    }
}

section! {
    /// `[auth.leaked_passwords]` of banyan.toml (auth/CONTRACT.md PW6).
    RawLeakedPasswords {
        enabled: bool = false,
        fail_closed: bool = false,
        url: String = "https://api.pwnedpasswords.com/range/".into(),
    }
}

section! {
    /// `[auth.audit_log]` of banyan.toml (auth/CONTRACT.md L7).
    RawAuditLog {
        postgres: bool = true,
        retention: String = "0s".into(),
    }
}

section! {
    /// `[auth.captcha]` of banyan.toml: another address of the provider's check.
    RawCaptchaService { url: Option<String> = None }
}

section! {
    /// `[auth.mfa]` of banyan.toml (auth/CONTRACT.md F3).
    RawBanyanMfa { bind_challenges_to_address: bool = false }
}

section! {
    /// `[auth.email]` of banyan.toml: whether there are passwords, templates for one locale
    /// (auth/CONTRACT.md M39), domains that get no mail (M20).
    RawBanyanEmail {
        enable_password: bool = true,
        refused_domains: Vec<String> = Vec::new(),
        smtp: RawBanyanSmtp = RawBanyanSmtp::default(),
        template: BTreeMap<String, BTreeMap<String, RawTemplate>> = BTreeMap::new(),
    }
}

section! {
    /// `[auth.email.smtp]` of banyan.toml: when TLS begins.
    RawBanyanSmtp { tls: String = "auto".into() }
}
