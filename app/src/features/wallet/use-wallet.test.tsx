import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { queryClient } from '@/lib/query-client';
import { toast } from '@/lib/toast';
import { FakeApi, FakeWallet, deferredResponse, json } from '@/test/fake-api';
import { refetchAll } from '@/test/refetch-all';
import { useCoins, type WalletScreen } from './use-wallet';

let api: FakeApi;

function Coins({ on }: { on: WalletScreen }) {
  return <p data-testid="coins">{useCoins('11111111-1111-4111-8111-111111111111', on)}</p>;
}

function show(on: WalletScreen) {
  render(
    <QueryClientProvider client={queryClient}>
      <Coins on={on} />
      <Toaster />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  queryClient.clear();
  api = new FakeApi();
});

describe('the balance on a screen', () => {
  // rows: S-160 S-404
  test('/home creates a missing profile with 20 and welcomes the user', async () => {
    const wallet = new FakeWallet(api, null);
    show('home');
    expect(await screen.findByText('You have 20 free credits to start with.')).toBeInTheDocument();
    expect(wallet.coins).toBe(20);
  });

  // rows: D07
  test('a profile that is created again gets no welcome, whatever it had', async () => {
    new FakeWallet(api, null, 20);
    show('home');
    expect(await screen.findByText('20')).toBeInTheDocument();
    expect(screen.queryByText('Welcome!')).toBeNull();
  });

  // rows: S-016 S-396
  test('another screen creates the profile with 100 and does not welcome', async () => {
    const wallet = new FakeWallet(api, null);
    show('other');
    expect(await screen.findByText('100')).toBeInTheDocument();
    expect(wallet.coins).toBe(100);
    expect(screen.queryByText('Welcome!')).toBeNull();
  });

  // rows: S-176
  test('/home says that the wallet could not be loaded and shows 0', async () => {
    api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 500));
    show('home');
    expect(await screen.findByText('Failed to load wallet information')).toBeInTheDocument();
    expect(screen.getByTestId('coins')).toHaveTextContent('0');
  });

  // rows: S-176
  test('a wallet that cannot be loaded is reported once, and 0 stays', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const told = vi.spyOn(toast, 'error');
    const held = deferredResponse();
    const asked = () => api.callsTo('GET /rest/v1/profiles').length;
    api.on('GET /rest/v1/profiles', () => (asked() === 1 ? json({ message: 'down' }, 500) : held.answer));
    show('home');
    expect(await screen.findByText('Failed to load wallet information')).toBeInTheDocument();
    await act(() => vi.advanceTimersByTimeAsync(6_000));
    expect(asked()).toBe(2);
    expect(screen.getByTestId('coins')).toHaveTextContent('0');
    held.give(json({ message: 'down' }, 500));
    await act(() => vi.advanceTimersByTimeAsync(7_000));
    expect(asked()).toBe(3);
    expect(screen.getByTestId('coins')).toHaveTextContent('0');
    expect(told).toHaveBeenCalledOnce();
  });

  // rows: S-176 S-398
  test.each(['home', 'other'] as const)(
    'a known balance stays on %s when it cannot be read again',
    async (on) => {
      const told = vi.spyOn(toast, 'error');
      new FakeWallet(api, 300);
      show(on);
      expect(await screen.findByText('300')).toBeInTheDocument();
      api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 500));
      expect(await refetchAll()).toBe(1);
      expect(screen.getByTestId('coins')).toHaveTextContent('300');
      expect(told).not.toHaveBeenCalled();
    },
  );

  // rows: S-160 S-404
  test('/home welcomes the user even when one read of the ledger fails', async () => {
    new FakeWallet(api, null);
    let looks = 0;
    api.on('GET /rest/v1/credit_ledger', () => {
      looks += 1;
      return looks === 1 ? json({ message: 'down' }, 503) : json([{ reason: 'opening' }]);
    });
    show('home');
    expect(await screen.findByText('You have 20 free credits to start with.')).toBeInTheDocument();
  });

  // rows: S-398
  test('another screen says that the profile could not be loaded', async () => {
    api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 500));
    show('other');
    expect(await screen.findByText('Error loading profile')).toBeInTheDocument();
    expect(screen.getByText('Failed to load user profile. Please try again.')).toBeInTheDocument();
  });

  // rows: S-399
  test('another screen says that a profile exists and cannot be read', async () => {
    api.on('GET /rest/v1/profiles', () => json([]));
    api.on('POST /rest/v1/profiles', () => json({ code: '23505', message: 'duplicate key' }, 409));
    show('other');
    expect(await screen.findByText('Profile Error')).toBeInTheDocument();
    expect(
      screen.getByText('There was an issue with your profile. Please try refreshing.'),
    ).toBeInTheDocument();
  });

  // rows: S-397
  test('another screen says that the profile could not be created', async () => {
    new FakeWallet(api, null);
    api.on('POST /rest/v1/profiles', () => json({ message: 'no' }, 403));
    show('other');
    expect(await screen.findByText('Error creating profile')).toBeInTheDocument();
    expect(
      screen.getByText('Failed to create user profile. Please try refreshing the page.'),
    ).toBeInTheDocument();
  });
});
