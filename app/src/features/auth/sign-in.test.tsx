import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { errorMessageOf } from '@/lib/auth-error-messages';
import { setLanguage } from '@/lib/i18n';
import { FakeApi, json, noNetwork } from '@/test/fake-api';
import { savePendingCode, pendingCodeEmail } from './pending-code';
import { SignIn } from './components/sign-in';
import { googleErrorMessage, errorMessages } from './error-messages';
import { codeSchema, digitsOfCode, emailSchema } from './schema';

let api: FakeApi;

beforeEach(() => {
  api = new FakeApi().on('POST /auth/v1/otp', () => json({}));
});

function show() {
  render(
    <>
      <SignIn />
      <Toaster />
    </>,
  );
  return userEvent.setup();
}

async function reachCode(user: ReturnType<typeof show>) {
  await user.click(screen.getByRole('button', { name: 'Continue with Email OTP' }));
  await user.type(screen.getByLabelText('Email address'), 'asha@school.example');
  await user.click(screen.getByRole('button', { name: 'Send OTP' }));
  return screen.findByLabelText('6-digit code');
}

describe('signing in', () => {
  test('s132_s133_s134_s135_s136_the_code_is_sent_to_a_new_account_too', async () => {
    const user = show();
    await user.click(screen.getByRole('button', { name: 'Continue with Email OTP' }));
    expect(screen.getByRole('button', { name: 'Send OTP' })).toBeDisabled();
    await user.type(screen.getByLabelText('Email address'), 'asha@school.example');
    await user.click(screen.getByRole('button', { name: 'Send OTP' }));
    expect(await screen.findByText('Check your email for the 6-digit verification code')).toBeInTheDocument();
    expect(screen.getByRole('status')).toHaveTextContent('OTP Sent');
    expect(api.callsTo('POST /auth/v1/otp')[0]?.body).toMatchObject({
      email: 'asha@school.example',
      create_user: true,
    });
  });

  test('s137_the_providers_message_is_shown_when_sending_fails', async () => {
    api.on('POST /auth/v1/otp', () =>
      json({ code: 400, error_code: 'validation_failed', msg: 'No address.' }, 400),
    );
    const user = show();
    await user.click(screen.getByRole('button', { name: 'Continue with Email OTP' }));
    await user.type(screen.getByLabelText('Email address'), 'asha@school.example');
    await user.click(screen.getByRole('button', { name: 'Send OTP' }));
    expect(await screen.findByText('No address.')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent('Error');
    expect(screen.getByLabelText('Email address')).toHaveValue('asha@school.example');
  });

  test('s137_s138_where_a_mail_is_asked_for_too_early_the_code_before_it_has_its_field', async () => {
    api.on('POST /auth/v1/otp', () =>
      json({ code: 429, error_code: 'over_email_send_rate_limit', msg: 'Wait 1 second.' }, 429),
    );
    const user = show();
    expect(await reachCode(user)).toBeInTheDocument();
    expect(screen.getByText('Wait 1 second. Look for the newest mail meanwhile.')).toBeInTheDocument();
  });

  test('s138_s142_a_page_that_is_loaded_again_waits_for_the_same_code', async () => {
    const user = show();
    await reachCode(user);
    cleanup();
    show();
    expect(screen.getByLabelText('6-digit code')).toBeInTheDocument();
    expect(screen.getByText('asha@school.example')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Change Email' }));
    cleanup();
    show();
    expect(screen.getByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  test('s138_an_address_is_awaited_for_as_long_as_its_code_is_good', () => {
    savePendingCode('asha@school.example', 1_000);
    expect(pendingCodeEmail(600_999)).toBe('asha@school.example');
    expect(pendingCodeEmail(601_000)).toBeUndefined();
    sessionStorage.setItem('awaited-code', '{"email":1');
    expect(pendingCodeEmail(1_000)).toBeUndefined();
  });

  test('s137_without_a_network_the_plain_sentence_is_shown', async () => {
    api.on('POST /auth/v1/otp', noNetwork);
    const user = show();
    await user.click(screen.getByRole('button', { name: 'Continue with Email OTP' }));
    await user.type(screen.getByLabelText('Email address'), 'asha@school.example');
    await user.click(screen.getByRole('button', { name: 'Send OTP' }));
    expect(await screen.findByText('Failed to send OTP')).toBeInTheDocument();
  });

  test('s138_s150_a_pasted_code_fills_the_field_with_its_digits', async () => {
    const user = show();
    const code = await reachCode(user);
    expect(code).toHaveAttribute('autocomplete', 'one-time-code');
    expect(code).toHaveAttribute('inputmode', 'numeric');
    expect(screen.getByRole('button', { name: 'Verify' })).toBeDisabled();
    await user.click(code);
    await user.paste('Your code: 407 215.');
    expect(code).toHaveValue('407215');
    expect(screen.getByRole('button', { name: 'Verify' })).toBeEnabled();
  });

  test('s139_s140_a_wrong_code_keeps_the_input', async () => {
    api.on('POST /auth/v1/verify', () =>
      json({ code: 403, error_code: 'otp_expired', msg: 'Token has expired or is invalid' }, 403),
    );
    const user = show();
    const code = await reachCode(user);
    await user.type(code, '407215');
    await user.click(screen.getByRole('button', { name: 'Verify' }));
    const refused = 'Token has expired or is invalid. Use the code of the newest mail, or press Resend OTP.';
    expect(await screen.findByRole('alert')).toHaveTextContent(refused);
    expect(code).toBeInvalid();
    expect(code).toHaveAccessibleDescription(refused);
    expect(code).toHaveValue('407215');
    expect(api.callsTo('POST /auth/v1/verify')[0]?.body).toMatchObject({
      email: 'asha@school.example',
      token: '407215',
      type: 'email',
    });
  });

  test('s140_a_code_that_was_not_checked_says_so', async () => {
    api.on('POST /auth/v1/verify', () => json({}, 500));
    const user = show();
    await user.type(await reachCode(user), '407215');
    await user.click(screen.getByRole('button', { name: 'Verify' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Failed to verify OTP');
  });

  test('s142_s143_going_back_keeps_the_email_and_resend_asks_again', async () => {
    const user = show();
    await reachCode(user);
    await user.click(screen.getByRole('button', { name: 'Resend OTP' }));
    await waitFor(() => {
      expect(api.callsTo('POST /auth/v1/otp')).toHaveLength(2);
    });
    await user.click(screen.getByRole('button', { name: 'Change Email' }));
    expect(screen.getByLabelText('Email address')).toHaveValue('asha@school.example');
    await user.click(screen.getByRole('button', { name: 'Back' }));
    expect(screen.getByRole('button', { name: 'Continue with Google' })).toBeInTheDocument();
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });
});

describe('signing in with Google', () => {
  test('s144_s418_an_exception_on_the_way_to_google_is_told', async () => {
    api.on('GET /auth/v1/authorize', noNetwork);
    const user = show();
    await user.click(screen.getByRole('button', { name: 'Continue with Google' }));
    expect(await screen.findByText('An unexpected error occurred.')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Continue with Google' })).toBeEnabled();
  });

  test('s144_a_network_that_swallows_the_way_to_google_is_told', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const asked = vi.fn(
      (_: unknown, init?: RequestInit) =>
        new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => {
            reject(new DOMException('The operation was aborted.', 'AbortError'));
          });
        }),
    );
    vi.stubGlobal('fetch', asked);
    show();
    const button = screen.getByRole('button', { name: 'Continue with Google' });
    fireEvent.click(button);
    expect(button).toBeDisabled();
    await vi.waitFor(() => {
      expect(asked).toHaveBeenCalled();
    });
    await act(() => vi.advanceTimersByTimeAsync(21_000));
    expect(await screen.findByText('An unexpected error occurred.')).toBeInTheDocument();
    await vi.waitFor(() => {
      expect(button).toBeEnabled();
    });
  });

  test('s145_a_provider_that_is_off_says_so_and_the_page_stays', async () => {
    api.on('GET /auth/v1/authorize', () =>
      json(
        { code: 400, error_code: 'validation_failed', msg: 'Unsupported provider: provider is not enabled' },
        400,
      ),
    );
    const user = show();
    await user.click(screen.getByRole('button', { name: 'Continue with Google' }));
    expect(
      await screen.findByText(
        'Unsupported provider: provider is not enabled. Please continue with your email instead.',
      ),
    ).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent('Authentication Error');
    expect(screen.getByRole('button', { name: 'Continue with Google' })).toBeEnabled();
  });
});

describe('what a refusal says', () => {
  afterEach(() => setLanguage('en'));

  test.each(['hi', 'mr', 'gu'] as const)(
    'in %s it is in its own words, without the message',
    async (language) => {
      await setLanguage(language);
      const told = [
        errorMessageOf(errorMessages, { code: 'otp_expired', message: 'Token has expired' }),
        errorMessageOf(errorMessages, {
          code: 'over_email_send_rate_limit',
          message: 'only after 5 seconds.',
        }),
        errorMessageOf(errorMessages, {
          code: 'over_request_rate_limit',
          message: 'Request rate limit reached',
        }),
        googleErrorMessage({ error_code: 'validation_failed', msg: 'Unsupported provider' }),
      ];
      expect(new Set(told).size).toBe(4);
      for (const sentence of told)
        expect(sentence).not.toMatch(/expired|seconds|reached|Unsupported|auth\.|\{/);
    },
  );

  test('s140_an_unknown_code_leaves_the_providers_message', () => {
    expect(errorMessageOf(errorMessages, { code: 'signup_disabled', message: 'Signups not allowed' })).toBe(
      'Signups not allowed',
    );
    expect(errorMessageOf(errorMessages, { code: undefined, message: 'Odd' })).toBe('Odd');
    expect(googleErrorMessage({ msg: 'Odd' })).toBe('Odd');
  });
});

describe('the messages behind disabled buttons', () => {
  test('s134_an_empty_email', () => {
    expect(emailSchema.safeParse({ email: '  ' }).error?.issues.map((issue) => issue.message)).toEqual([
      'Please enter your email address.',
    ]);
  });

  test('s138_a_code_that_is_not_six_digits', () => {
    for (const code of ['', '12345', '1234567', 'abcdef']) {
      expect(codeSchema.safeParse({ code }).error?.issues[0]?.message).toBe(
        'Please enter a valid 6-digit OTP.',
      );
    }
    expect(codeSchema.safeParse({ code: '012345' }).success).toBe(true);
  });

  test('s138_only_digits_are_kept', () => {
    expect(digitsOfCode('12a3 456789')).toBe('123456');
  });
});
