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
  test('s160_s404_home_makes_a_missing_profile_with_20_and_welcomes', async () => {
    const wallet = new FakeWallet(api, null);
    show('home');
    expect(await screen.findByText('You have 20 free credits to start with.')).toBeInTheDocument();
    expect(wallet.coins).toBe(20);
  });

  test('d07_a_profile_that_is_made_again_is_not_welcomed_whatever_it_had', async () => {
    new FakeWallet(api, null, 20);
    show('home');
    expect(await screen.findByText('20')).toBeInTheDocument();
    expect(screen.queryByText('Welcome!')).toBeNull();
  });

  test('s016_s396_another_screen_makes_it_with_100_and_does_not_welcome', async () => {
    const wallet = new FakeWallet(api, null);
    show('other');
    expect(await screen.findByText('100')).toBeInTheDocument();
    expect(wallet.coins).toBe(100);
    expect(screen.queryByText('Welcome!')).toBeNull();
  });

  test('s176_home_says_that_the_wallet_could_not_be_loaded_and_shows_0', async () => {
    api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 500));
    show('home');
    expect(await screen.findByText('Failed to load wallet information')).toBeInTheDocument();
    expect(screen.getByTestId('coins')).toHaveTextContent('0');
  });

  test('s176_a_wallet_that_cannot_be_loaded_is_told_once_and_0_stays_while_it_is_asked_for_again', async () => {
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

  test.each(['home', 'other'] as const)(
    's176_s398_a_balance_that_is_known_stays_on_%s_where_it_cannot_be_read_again',
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

  test('s160_s404_home_welcomes_also_where_one_look_at_the_ledger_fails', async () => {
    new FakeWallet(api, null);
    let looks = 0;
    api.on('GET /rest/v1/credit_ledger', () => {
      looks += 1;
      return looks === 1 ? json({ message: 'down' }, 503) : json([{ reason: 'opening' }]);
    });
    show('home');
    expect(await screen.findByText('You have 20 free credits to start with.')).toBeInTheDocument();
  });

  test('s398_another_screen_says_that_the_profile_could_not_be_loaded', async () => {
    api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 500));
    show('other');
    expect(await screen.findByText('Error loading profile')).toBeInTheDocument();
    expect(screen.getByText('Failed to load user profile. Please try again.')).toBeInTheDocument();
  });

  test('s399_another_screen_says_that_a_profile_is_there_and_cannot_be_read', async () => {
    api.on('GET /rest/v1/profiles', () => json([]));
    api.on('POST /rest/v1/profiles', () => json({ code: '23505', message: 'duplicate key' }, 409));
    show('other');
    expect(await screen.findByText('Profile Error')).toBeInTheDocument();
    expect(
      screen.getByText('There was an issue with your profile. Please try refreshing.'),
    ).toBeInTheDocument();
  });

  test('s397_another_screen_says_that_the_profile_could_not_be_made', async () => {
    new FakeWallet(api, null);
    api.on('POST /rest/v1/profiles', () => json({ message: 'no' }, 403));
    show('other');
    expect(await screen.findByText('Error creating profile')).toBeInTheDocument();
    expect(
      screen.getByText('Failed to create user profile. Please try refreshing the page.'),
    ).toBeInTheDocument();
  });
});
