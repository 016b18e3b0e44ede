import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { errorMessageOf } from '@/lib/auth-errors';
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
  // rows: S-132 S-133 S-134 S-135 S-136
  test('the code is sent to a new account, too', async () => {
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

  // rows: S-137
  test('the message of the provider is shown when sending fails', async () => {
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

  // rows: S-137 S-138
  test('a mail that is requested too early leaves the field for the earlier code', async () => {
    api.on('POST /auth/v1/otp', () =>
      json({ code: 429, error_code: 'over_email_send_rate_limit', msg: 'Wait 1 second.' }, 429),
    );
    const user = show();
    expect(await reachCode(user)).toBeInTheDocument();
    expect(screen.getByText('Wait 1 second. Look for the newest mail meanwhile.')).toBeInTheDocument();
  });

  // rows: S-138 S-142
  test('a reloaded page waits for the same code', async () => {
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

  // rows: S-138
  test('an address is remembered for as long as its code is valid', () => {
    savePendingCode('asha@school.example', 1_000);
    expect(pendingCodeEmail(600_999)).toBe('asha@school.example');
    expect(pendingCodeEmail(601_000)).toBeUndefined();
    sessionStorage.setItem('awaited-code', '{"email":1');
    expect(pendingCodeEmail(1_000)).toBeUndefined();
  });

  // rows: S-137
  test('the plain sentence is shown without a network', async () => {
    api.on('POST /auth/v1/otp', noNetwork);
    const user = show();
    await user.click(screen.getByRole('button', { name: 'Continue with Email OTP' }));
    await user.type(screen.getByLabelText('Email address'), 'asha@school.example');
    await user.click(screen.getByRole('button', { name: 'Send OTP' }));
    expect(await screen.findByText('Failed to send OTP')).toBeInTheDocument();
  });

  // rows: S-138 S-150
  test('a pasted code fills the field with its digits', async () => {
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

  // rows: S-139 S-140
  test('a wrong code keeps the input', async () => {
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

  // rows: S-140
  test('a code that was not checked says so', async () => {
    api.on('POST /auth/v1/verify', () => json({}, 500));
    const user = show();
    await user.type(await reachCode(user), '407215');
    await user.click(screen.getByRole('button', { name: 'Verify' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Failed to verify OTP');
  });

  // rows: S-142 S-143
  test('going back keeps the email, and Resend asks again', async () => {
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
  // rows: S-144 S-418
  test('an exception on the way to Google is reported', async () => {
    api.on('GET /auth/v1/authorize', noNetwork);
    const user = show();
    await user.click(screen.getByRole('button', { name: 'Continue with Google' }));
    expect(await screen.findByText('An unexpected error occurred.')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Continue with Google' })).toBeEnabled();
  });

  // rows: S-144
  test('a network without an answer on the way to Google is reported', async () => {
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

  // rows: S-145
  test('a disabled provider says so and the page stays', async () => {
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
    'a refusal in %s has its own words, without the message',
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

  // rows: S-140
  test('an unknown code shows the message of the provider', () => {
    expect(errorMessageOf(errorMessages, { code: 'signup_disabled', message: 'Signups not allowed' })).toBe(
      'Signups not allowed',
    );
    expect(errorMessageOf(errorMessages, { code: undefined, message: 'Odd' })).toBe('Odd');
    expect(googleErrorMessage({ msg: 'Odd' })).toBe('Odd');
  });
});

describe('the messages behind disabled buttons', () => {
  // rows: S-134
  test('an empty email has its message', () => {
    expect(emailSchema.safeParse({ email: '  ' }).error?.issues.map((issue) => issue.message)).toEqual([
      'Please enter your email address.',
    ]);
  });

  // rows: S-138
  test('a code without six digits has its message', () => {
    for (const code of ['', '12345', '1234567', 'abcdef']) {
      expect(codeSchema.safeParse({ code }).error?.issues[0]?.message).toBe(
        'Please enter a valid 6-digit OTP.',
      );
    }
    expect(codeSchema.safeParse({ code: '012345' }).success).toBe(true);
  });

  // rows: S-138
  test('the field keeps only digits', () => {
    expect(digitsOfCode('12a3 456789')).toBe('123456');
  });
});
