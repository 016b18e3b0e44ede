import { act, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sessionStorageKey, supabase } from '@/lib/supabase';
import { FakeApi, FakeWallet, json } from '@/test/fake-api';
import { storeSession } from '@/test/store-session';
import { App } from './app';
import { ErrorBoundary, isFailedImport, reasonOf } from './error-boundary';

let api: FakeApi;

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

/** The client's own announcement of what it read from storage, now or later. */
function announceSession(userId: string | null) {
  vi.spyOn(supabase.auth, 'onAuthStateChange').mockImplementation((listener) => {
    const session =
      userId === null
        ? null
        : {
            access_token: 'token',
            refresh_token: 'refresh',
            expires_in: 3600,
            token_type: 'bearer' as const,
            user: {
              id: userId,
              email: 'asha@school.example',
              app_metadata: {},
              user_metadata: {},
              aud: 'authenticated',
              created_at: '',
            },
          };
    queueMicrotask(() => {
      void listener('INITIAL_SESSION', session);
    });
    return { data: { subscription: { id: 'x', callback: () => undefined, unsubscribe: () => undefined } } };
  });
}

describe('the addresses', { timeout: 20_000 }, () => {
  test('s046_s152_s159_s256_without_a_session_home_leads_to_auth', async () => {
    announceSession(null);
    open('/home');
    expect(screen.getByText('Loading...')).toBeInTheDocument();
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  test('s046_the_guard_waits_for_the_initial_session', async () => {
    vi.spyOn(supabase.auth, 'onAuthStateChange').mockReturnValue({
      data: { subscription: { id: 'x', callback: () => undefined, unsubscribe: () => undefined } },
    });
    open('/home');
    expect(await screen.findByText('Loading...')).toBeInTheDocument();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(screen.queryByRole('button', { name: 'Continue with Email OTP' })).toBeNull();
  });

  test('s146_s160_a_new_teacher_lands_on_home_and_is_welcomed', async () => {
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

  test('s161_an_admin_sees_admin_and_manage_blogs', async () => {
    announceSession('admin');
    new FakeWallet(api, 40);
    api.on('POST /rest/v1/rpc/is_admin_user', () => json(true));
    open('/home');
    expect(await screen.findByRole('link', { name: 'Admin' })).toHaveAttribute('href', '/admin');
    expect(screen.getByRole('link', { name: /Manage Blogs/ })).toHaveAttribute('href', '/blogs');
  });

  test('s176_a_balance_that_cannot_be_read_is_zero', async () => {
    announceSession('broke');
    api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 400));
    open('/home');
    expect(await screen.findByText('Failed to load wallet information')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: '0 credits' })).toBeInTheDocument();
  });

  test('s149_logout_leads_to_auth_even_when_the_server_cannot_be_told', async () => {
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

  test('s147_a_sign_out_of_another_tab_that_no_server_answered_ends_this_one_as_well', async () => {
    announceSession('elsewhere');
    new FakeWallet(api, 40);
    open('/home');
    await screen.findByRole('button', { name: 'Logout' });
    const gone = new StorageEvent('storage', { key: sessionStorageKey, newValue: null });
    act(() => {
      window.dispatchEvent(gone);
    });
    expect(await screen.findByRole('button', { name: 'Continue with Email OTP' })).toBeInTheDocument();
  });

  test('s036_s049_s105_an_unknown_address', async () => {
    open('/nowhere');
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Go to Home' })).toHaveAttribute('href', '/');
    expect(screen.getByRole('link', { name: 'help@school.example' })).toBeInTheDocument();
  });

  test('s103_s104_s106_the_error_pages', async () => {
    open('/network-error');
    expect(await screen.findByRole('heading', { name: 'No Internet Connection' })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Retry Connection' })).toBeInTheDocument();
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
    expect(screen.getByRole('button', { name: 'Try Again' })).toBeInTheDocument();
  });

  test('s047_teaching_aids_show_the_form_to_a_visitor', async () => {
    announceSession(null);
    open('/teaching-aids');
    expect(await screen.findByRole('link', { name: 'Sign In to Generate' })).toHaveAttribute('href', '/auth');
    expect(screen.getByLabelText('Board')).toBeInTheDocument();
  });
});

describe('a screen that fails', () => {
  test('s050_shows_heading_and_message', () => {
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

  test('s423_a_part_that_is_lost_with_a_network_loads_the_page_again_once_and_blames_no_network', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    sessionStorage.clear();
    const reload = vi.fn();
    function Lost(): never {
      throw new TypeError('Failed to fetch dynamically imported module: /assets/home.js');
    }
    function at(path: string, broken = true) {
      return (
        <MemoryRouter>
          <ErrorBoundary at={path} reload={reload}>
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

  test('s050_a_status_is_shown_with_its_text', () => {
    expect(reasonOf({ status: 404, statusText: 'Not Found', internal: true, data: null })).toBe(
      '404 Not Found',
    );
  });

  test('s423_a_part_that_cannot_be_fetched_means_no_network', () => {
    expect(
      isFailedImport(new TypeError('Failed to fetch dynamically imported module: /assets/home.js')),
    ).toBe(true);
    expect(isFailedImport(new Error('the chalk broke'))).toBe(false);
  });
});
