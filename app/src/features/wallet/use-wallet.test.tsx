import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { queryClient } from '@/lib/query-client';
import { FakeApi, FakeWallet, json } from '@/test/fake-api';
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
