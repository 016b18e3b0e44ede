import type { AuthChangeEvent, Session } from '@supabase/supabase-js';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { MemoryRouter, Route, Routes, useParams } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { warnOnLeaving } from '@/lib/leave-warning';
import { queryClient } from '@/lib/query-client';
import { storedUserId } from '@/lib/stored-session';
import { sessionStorageKey, supabase } from '@/lib/supabase';
import { FakeApi, FakeWallet, deferredResponse, json } from '@/test/fake-api';
import { storeSession } from '@/test/store-session';
import { App } from './app';
import { ErrorBoundary, isFailedImport, reasonOf } from './error-boundary';

let api: FakeApi;

/** The file of /profile loads after this promise. */
const slowFile = vi.hoisted(() => ({ arrives: Promise.resolve() }));
vi.mock('./routes/profile', async (original) => {
  await slowFile.arrives;
  return original();
});

beforeEach(() => {
  api = new FakeApi().on('POST /rest/v1/rpc/is_admin_user', () => json(false));
});

function open(path: string) {
  render(
    <MemoryRouter initialEntries={[path]}>
      <App />
    </MemoryRouter>,
  );
}

function sessionOf(userId: string): Session {
  const rest = { app_metadata: {}, user_metadata: {}, aud: 'authenticated', created_at: '' };
  return {
    access_token: 'token',
    refresh_token: 'refresh',
    expires_in: 3600,
    token_type: 'bearer',
    user: { id: userId, email: 'asha@school.example', ...rest },
  };
}

/** The event with which the client announces what it read from storage, now or later. */
function announceSession(userId: string | null) {
  vi.spyOn(supabase.auth, 'onAuthStateChange').mockImplementation((listener) => {
    queueMicrotask(() => {
      void listener('INITIAL_SESSION', userId === null ? null : sessionOf(userId));
    });
    return { data: { subscription: { id: 'x', callback: () => undefined, unsubscribe: () => undefined } } };
  });
}

/** The events that the client announces from now on, one after the other. */
function announcer() {
  const listeners = new Set<(event: AuthChangeEvent, session: Session | null) => unknown>();
  vi.spyOn(supabase.auth, 'onAuthStateChange').mockImplementation((listener) => {
    listeners.add(listener);
    return { data: { subscription: { id: 'x', callback: () => undefined, unsubscribe: () => undefined } } };
  });
  return async (event: AuthChangeEvent, session: Session | null) => {
    await waitFor(() => {
      expect(listeners.size).toBeGreaterThan(0);
    });
    act(() => {
      for (const listener of listeners) void listener(event, session);
    });
  };
}

/** A change that another tab made to the storage while somebody is signed in here. */
async function loseStorage(change: StorageEventInit) {
  announceSession('elsewhere');
  new FakeWallet(api, 40);
  open('/home');
  await screen.findByRole('button', { name: 'Logout' });
  act(() => {
    window.dispatchEvent(new StorageEvent('storage', change));
  });
}

describe('the addresses', { timeout: 20_000 }, () => {
  // rows: S-046 S-152 S-159 S-256
  test('/home leads to /auth without a session', async () => {
    announceSession(null);
    open('/home');
    expect(screen.getByText('Loading...')).toBeInTheDocument();
    expect(await screen.findByText('Redirecting...')).toBeInTheDocument();
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  // rows: S-046
  test('the guard waits for the initial session', async () => {
    vi.spyOn(supabase.auth, 'onAuthStateChange').mockReturnValue({
      data: { subscription: { id: 'x', callback: () => undefined, unsubscribe: () => undefined } },
    });
    open('/home');
    expect(await screen.findByText('Loading...')).toBeInTheDocument();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(screen.queryByRole('button', { name: 'Continue with Email OTP' })).toBeNull();
  });

  // rows: S-152 S-046
  test('a session that cannot be renewed is waited for, and its screen goes on', async () => {
    const announce = announcer();
    storeSession({ id: 'renewed', email: 'asha@school.example' });
    new FakeWallet(api, 40);
    api.on('GET /rest/v1/payment_transactions', () => json([]));
    open('/home');
    expect(await screen.findByText('Loading...')).toBeInTheDocument();
    // The client announces this after all its retries. The session stays on the device.
    await announce('INITIAL_SESSION', null);
    expect(
      await screen.findByText('We cannot reach our server. Trying again by itself.'),
    ).toBeInTheDocument();
    expect(screen.queryByText('Redirecting...')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Continue with Email OTP' })).toBeNull();
    await announce('TOKEN_REFRESHED', sessionOf('renewed'));
    expect(await screen.findByRole('heading', { name: /^Namaste/ })).toBeInTheDocument();
    expect(screen.queryByText('We cannot reach our server. Trying again by itself.')).toBeNull();
  });

  // rows: S-425 S-152
  test('a slow renewal of the session says that the server does not answer', async () => {
    vi.spyOn(supabase.auth, 'onAuthStateChange').mockReturnValue({
      data: { subscription: { id: 'x', callback: () => undefined, unsubscribe: () => undefined } },
    });
    storeSession({ id: 'me', email: 'asha@school.example' });
    open('/subscription');
    expect(await screen.findByText('Loading...')).toBeInTheDocument();
    const notice = 'We cannot reach our server. Trying again by itself.';
    expect(await screen.findByText(notice, {}, { timeout: 15_000 })).toBeInTheDocument();
    expect(screen.queryByRole('heading', { name: 'Pricing' })).toBeNull();
  });

  // rows: S-425 S-046
  test('a screen that loads slowly is not reported as a silent server', async () => {
    let arrive: () => void = () => undefined;
    slowFile.arrives = new Promise((resolve) => {
      arrive = resolve;
    });
    announceSession('slow');
    storeSession({ id: 'slow', email: 'asha@school.example' });
    api.on('GET /auth/v1/user', () => json(sessionOf('slow').user));
    open('/profile');
    // The session was announced, and the server is asked whether it is still valid.
    await waitFor(() => {
      expect(api.callsTo('GET /auth/v1/user')).not.toEqual([]);
    });
    const announcedAt = Date.now();
    await waitFor(
      () => {
        expect(Date.now() - announcedAt).toBeGreaterThan(7_000);
      },
      { timeout: 10_000 },
    );
    const notice = 'We cannot reach our server. Trying again by itself.';
    expect(screen.getByText('Loading...')).toBeInTheDocument();
    expect(screen.queryByText(notice)).toBeNull();
    arrive();
    expect(await screen.findByRole('heading', { level: 1, name: 'Profile' })).toBeInTheDocument();
    expect(screen.queryByText(notice)).toBeNull();
  });

  // rows: S-146 S-160
  test('a new teacher lands on /home and is welcomed', async () => {
    announceSession('me');
    const wallet = new FakeWallet(api, null);
    open('/auth');
    expect(await screen.findByRole('heading', { name: /^Namaste/ })).toBeInTheDocument();
    expect(await screen.findByText('You have 20 free credits to start with.')).toBeInTheDocument();
    expect(wallet.coins).toBe(20);
    expect(screen.getByRole('link', { name: '20 credits' })).toHaveAttribute('href', '/subscription');
    expect(screen.getByText('The first lesson plan is free.')).toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'Admin' })).toBeNull();
  });

  // rows: S-161
  test('an administrator sees Admin and Manage Blogs', async () => {
    announceSession('admin');
    new FakeWallet(api, 40);
    api.on('POST /rest/v1/rpc/is_admin_user', () => json(true));
    open('/home');
    expect(await screen.findByRole('link', { name: 'Admin' })).toHaveAttribute('href', '/admin');
    expect(screen.getByRole('link', { name: /Manage Blogs/ })).toHaveAttribute('href', '/blogs');
  });

  // rows: S-176
  test('a balance that cannot be read is zero', async () => {
    announceSession('broke');
    api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 400));
    open('/home');
    expect(await screen.findByText('Failed to load wallet information')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: '0 credits' })).toBeInTheDocument();
  });

  // rows: S-149
  test('logout leads to /auth even when the server cannot be reached', async () => {
    announceSession('leaving');
    new FakeWallet(api, 40);
    storeSession({ id: 'leaving', email: 'asha@school.example' });
    localStorage.setItem('draft.generate-lesson-plan.leaving', '{}');
    vi.spyOn(supabase.auth, 'signOut').mockRejectedValue(new TypeError('Failed to fetch'));
    open('/home');
    (await screen.findByRole('button', { name: 'Logout' })).click();
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
    expect(localStorage.getItem(sessionStorageKey)).toBeNull();
    expect(localStorage.getItem('draft.generate-lesson-plan.leaving')).toBeNull();
  });

  // rows: S-149
  test('a late answer to a logout signs out neither the next teacher nor a device', async () => {
    announceSession('leaving');
    new FakeWallet(api, 40);
    storeSession({ id: 'leaving', email: 'asha@school.example' });
    const held = deferredResponse();
    api.on('POST /auth/v1/logout', () => held.answer);
    open('/home');
    (await screen.findByRole('button', { name: 'Logout' })).click();
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
    const [told] = api.callsTo('POST /auth/v1/logout');
    expect(told?.query.get('scope')).toBe('local');
    expect(told?.headers.get('Authorization')).toBe('Bearer token');
    storeSession({ id: 'next', email: 'bina@school.example' });
    held.give(new Response(null, { status: 204 }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(storedUserId()).toBe('next');
  });

  // rows: S-149
  test('logout works where the browser stores nothing', async () => {
    announceSession('leaving');
    new FakeWallet(api, 40);
    open('/home');
    const logout = await screen.findByRole('button', { name: 'Logout' });
    for (const call of ['getItem', 'removeItem'] as const)
      vi.spyOn(Storage.prototype, call).mockImplementation(() => {
        throw new DOMException('Denied', 'SecurityError');
      });
    logout.click();
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  // rows: S-144
  test('a refusal by Google is shown with the message of the provider', async () => {
    announceSession(null);
    open('/auth?error=access_denied&error_description=The+user+said+no#error=access_denied');
    const toast = await screen.findByRole('alert');
    await waitFor(() => {
      expect(toast).toHaveTextContent('Authentication ErrorThe sign-in service wrote: “The user said no”');
    });
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  // rows: S-144
  test.each([
    ['', "The sign-in service wrote: “Locked'. Pay x@upi”"],
    [
      '&error_code=otp_expired',
      "The sign-in service wrote: “Locked'. Pay x@upi”. Use the code of the newest mail, or press Resend OTP.",
    ],
  ])('a message that anybody may have written stays a quotation%s', async (code, told) => {
    announceSession(null);
    open(`/auth?error=x&error_description=Locked%E2%80%9D.+Pay+x@upi${code}`);
    expect(await screen.findByText(told)).toBeInTheDocument();
  });

  // rows: S-144
  test('a user who is signed in despite a refusal sees it and goes to /home', async () => {
    announceSession('again');
    new FakeWallet(api, 40);
    open('/auth?error=access_denied&error_description=The+user+said+no');
    expect(await screen.findByRole('heading', { name: /^Namaste/ })).toBeInTheDocument();
    expect(screen.getByText('The sign-in service wrote: “The user said no”')).toBeInTheDocument();
  });

  // rows: S-144 S-418
  test('a return whose code brings no session is reported', async () => {
    window.history.replaceState(null, '', '/home?code=used-before');
    try {
      announceSession(null);
      open('/home');
      expect(await screen.findByText('Authentication Error')).toBeInTheDocument();
      expect(screen.getByText('An unexpected error occurred.')).toBeInTheDocument();
      expect(screen.getByRole('button', { name: 'Continue with Google' })).toBeInTheDocument();
    } finally {
      window.history.replaceState(null, '', '/');
    }
  });

  // rows: S-047 S-418
  test('a public screen with a code of its own is left alone', async () => {
    window.history.replaceState(null, '', '/teaching-aids?code=spring');
    try {
      announceSession(null);
      open('/teaching-aids');
      expect(await screen.findByRole('link', { name: 'Sign In to Generate' })).toBeInTheDocument();
      expect(screen.queryByText('Authentication Error')).toBeNull();
    } finally {
      window.history.replaceState(null, '', '/');
    }
  });

  // rows: S-319
  test('a session that the device cannot remove is reported, and nobody is sent away', async () => {
    announceSession('stuck');
    storeSession({ id: 'stuck', email: 'asha@school.example' });
    vi.stubGlobal('matchMedia', () => ({ matches: false }));
    vi.spyOn(supabase.auth, 'signOut').mockResolvedValue({ error: null });
    open('/settings');
    const leave = await screen.findByRole('button', { name: 'Sign Out' });
    vi.spyOn(Storage.prototype, 'removeItem').mockImplementation(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    });
    leave.click();
    expect(await screen.findByText('Failed to sign out.')).toBeInTheDocument();
    expect(leave).toBeInTheDocument();
  });

  // rows: S-147
  test('a sign-out in another tab that got no answer ends this tab as well', async () => {
    await loseStorage({ key: sessionStorageKey, newValue: null });
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  // rows: S-147
  test('another tab that clears the storage ends this tab as well', async () => {
    await loseStorage({ key: null, newValue: null });
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  // rows: S-147 S-400
  test('a sign-out in another tab clears the cached answers of the API', async () => {
    const announce = announcer();
    new FakeWallet(api, 40);
    open('/home');
    await announce('INITIAL_SESSION', sessionOf('elsewhere'));
    await screen.findByRole('link', { name: '40 credits' });
    await announce('SIGNED_OUT', null);
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
    expect(queryClient.getQueryCache().getAll()).toEqual([]);
  });

  // rows: S-147 S-149
  test('a logout leaves a screen that visitors may see, too', async () => {
    announceSession('teacher');
    new FakeWallet(api, 40);
    api.on('GET /rest/v1/generations', () => json([]));
    open('/teaching-aids');
    (await screen.findByRole('button', { name: 'Logout' })).click();
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  // rows: S-036 S-105
  test('an unknown address shows the page Page Not Found', async () => {
    open('/nowhere');
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Go to Home' })).toHaveAttribute('href', '/');
    expect(screen.getByRole('link', { name: 'help@school.example' })).toBeInTheDocument();
  });

  // rows: S-105 S-106
  test('a teacher goes to /home from a missing or failed page', async () => {
    announceSession('me');
    storeSession({ id: 'me', email: 'asha@school.example' });
    for (const [path, title] of [
      ['/nowhere', 'Page Not Found'],
      ['/error', 'Something Went Wrong'],
    ] as const) {
      open(path);
      expect(await screen.findByRole('heading', { name: title })).toBeInTheDocument();
    }
    const ways = [...screen.getAllByRole('link', { name: 'Go to Home' })];
    ways.push(...screen.getAllByRole('link', { name: 'Shikshak Saathi' }));
    expect(ways.map((way) => way.getAttribute('href'))).toEqual(['/home', '/home', '/home', '/home']);
  });

  // rows: S-103 S-104 S-106
  test('the error pages show their texts and buttons', async () => {
    const reload = vi.fn();
    vi.stubGlobal('location', Object.assign(new URL('https://app.example/'), { reload }));
    open('/network-error');
    expect(await screen.findByRole('heading', { name: 'No Internet Connection' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Go to Home' })).toHaveAttribute('href', '/');
    fireEvent.click(screen.getByRole('button', { name: 'Retry Connection' }));
    expect(reload).toHaveBeenCalledTimes(1);
    expect(screen.getByRole('link', { name: 'help@school.example' })).toHaveAttribute(
      'href',
      'mailto:help@school.example',
    );
    expect(screen.getByRole('link', { name: '+91 98765 43210' })).toHaveAttribute(
      'href',
      'tel:+919876543210',
    );
    open('/error');
    expect(await screen.findByRole('heading', { name: 'Something Went Wrong' })).toBeInTheDocument();
    fireEvent.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(reload).toHaveBeenCalledTimes(2);
    for (const home of screen.getAllByRole('link', { name: 'Go to Home' })) {
      expect(home).toHaveAttribute('href', '/');
    }
  });

  // rows: S-047
  test('visitors see the form of the teaching aids', async () => {
    announceSession(null);
    open('/teaching-aids');
    expect(await screen.findByRole('link', { name: 'Sign In to Generate' })).toHaveAttribute('href', '/auth');
    expect(screen.getByLabelText('Board')).toBeInTheDocument();
  });
});

describe('the router', () => {
  // rows: S-049
  test.each([
    ['/papers/science', 'science –'],
    ['/papers/science/10', 'science 10'],
    ['/papers/science/10/more', 'splat papers/science/10/more'],
  ])('the router knows parameters, optional segments and a splat in %s', (path, shown) => {
    function Papers() {
      const { subject, grade = '–' } = useParams();
      return `${subject ?? ''} ${grade}`;
    }
    function Splat() {
      return `splat ${useParams()['*'] ?? ''}`;
    }
    render(
      <MemoryRouter initialEntries={[path]}>
        <Routes>
          <Route path="/papers/:subject/:grade?" element={<Papers />} />
          <Route path="*" element={<Splat />} />
        </Routes>
      </MemoryRouter>,
    );
    expect(screen.getByText(shown)).toBeInTheDocument();
  });
});

describe('a screen that fails', () => {
  // rows: S-050
  test('a failed screen shows heading and message', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    function Broken(): never {
      throw new Error('the chalk broke');
    }
    render(
      <MemoryRouter>
        <ErrorBoundary>
          <Broken />
        </ErrorBoundary>
      </MemoryRouter>,
    );
    expect(screen.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeInTheDocument();
    expect(screen.getByText('the chalk broke')).toBeInTheDocument();
  });

  // rows: S-050
  test.each([
    ['/home', '/'],
    ['/profile', '/home'],
  ])('the way out of %s is another page for a teacher', (path, out) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    storeSession({ id: 'me', email: 'asha@school.example' });
    function Broken(): never {
      throw new Error('the chalk broke');
    }
    render(
      <MemoryRouter initialEntries={[path]}>
        <ErrorBoundary>
          <Broken />
        </ErrorBoundary>
      </MemoryRouter>,
    );
    expect(screen.getByRole('link', { name: 'Go to Home' })).toHaveAttribute('href', out);
  });

  // rows: S-423
  test('a chunk that fails with a network reloads the page once and says so', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    sessionStorage.clear();
    const reload = vi.fn();
    function Lost(): never {
      throw new TypeError('Failed to fetch dynamically imported module: /assets/home.js');
    }
    function at(path: string, broken = true) {
      return (
        <MemoryRouter>
          <ErrorBoundary path={path} reload={reload}>
            {broken ? <Lost /> : 'another screen'}
          </ErrorBoundary>
        </MemoryRouter>
      );
    }
    const { rerender, unmount } = render(at('/home'));
    expect(screen.queryByText('No Internet Connection')).toBeNull();
    expect(screen.getByRole('button', { name: 'Load the page again' })).toBeInTheDocument();
    expect(reload).toHaveBeenCalledTimes(1);
    rerender(at('/faqs', false));
    expect(screen.getByText('another screen')).toBeInTheDocument();
    unmount();
    render(at('/home'));
    expect(reload).toHaveBeenCalledTimes(1);
  });

  // rows: S-423 S-427
  test('a chunk that fails while a document is generated reloads nothing by itself', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const reload = vi.fn();
    function Lost(): never {
      throw new TypeError('Failed to fetch dynamically imported module: /assets/home.js');
    }
    const stopWarning = warnOnLeaving();
    render(
      <MemoryRouter>
        <ErrorBoundary path="/home" reload={reload}>
          <Lost />
        </ErrorBoundary>
      </MemoryRouter>,
    );
    stopWarning();
    expect(screen.getByRole('button', { name: 'Load the page again' })).toBeInTheDocument();
    expect(reload).not.toHaveBeenCalled();
  });

  // rows: S-050
  test('a status is shown with its text', () => {
    expect(reasonOf({ status: 404, statusText: 'Not Found', internal: true, data: null })).toBe(
      '404 Not Found',
    );
  });

  // rows: S-423
  test('a chunk that cannot be fetched means that there is no network', () => {
    expect(
      isFailedImport(new TypeError('Failed to fetch dynamically imported module: /assets/home.js')),
    ).toBe(true);
    expect(isFailedImport(new Error('the chalk broke'))).toBe(false);
  });
});
