import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useRefreshWaitingPayments } from '@/features/payments/api/waiting-payments';
import { saveUnreported } from '@/features/payments/unreported-payment';
import { WaitingPayments } from '@/features/payments/components/waiting-payments';
import { FakeApi, FakeWallet, json } from '@/test/fake-api';
import { signedInAs } from '@/test/signed-in-as';
import { address, showRoute, teacher } from '@/test/show-route';
import HomeRoute from './home';

let api: FakeApi;

beforeEach(() => {
  api = new FakeApi().on('POST /rest/v1/rpc/is_admin_user', () => json(false));
});

afterEach(() => {
  vi.useRealTimers();
});

/** Stands for a purchase that has just been reported. */
function Reporter() {
  const refresh = useRefreshWaitingPayments();
  return (
    <>
      <WaitingPayments userId={teacher.id} behindDialog={false} onSettled={() => undefined} />
      <button onClick={refresh}>report</button>
    </>
  );
}

/** A row as its payer reads it. */
function payment(amount: number) {
  return {
    transaction_id: `UPI_${amount}`,
    amount,
    status: 'PENDING',
    created_at: '2026-11-23T08:35:00Z',
    rejection_reason: null,
  };
}

describe('the home screen', { timeout: 20_000 }, () => {
  // rows: S-153 S-154 S-155
  test('the screen has header, greeting, balance and four tiles', async () => {
    new FakeWallet(api, 40);
    showRoute(<HomeRoute />);
    expect(screen.getByText('Shikshak Saathi')).toBeInTheDocument();
    expect(screen.getByRole('heading', { level: 1, name: /^Namaste/ })).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: '40 credits' })).toHaveAttribute('href', '/subscription');
    expect(screen.getByText('enough for 2 documents')).toBeInTheDocument();
    const tiles = within(screen.getByRole('navigation', { name: 'Tools' }));
    expect(tiles.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      '/lesson-plan',
      '/question-paper',
      '/teaching-aids',
      '/communication-tool',
    ]);
    expect(screen.queryByRole('link', { name: 'Admin' })).toBeNull();
  });

  // rows: S-428
  test('the focus returns to the button whose dialog closes', async () => {
    new FakeWallet(api, 40);
    const { person } = showRoute(<HomeRoute />);
    const buy = screen.getByRole('button', { name: 'Buy More Credits' });
    for (const close of [
      () => person.keyboard('{Escape}'),
      () => person.click(screen.getByRole('button', { name: 'Close' })),
    ]) {
      await person.click(buy);
      await screen.findByRole('dialog', { name: 'Buy More Credits' });
      expect(buy).not.toHaveFocus();
      await close();
      await waitFor(() => {
        expect(buy).toHaveFocus();
      });
    }
  });

  // rows: S-155 S-161
  test('an administrator manages blogs', async () => {
    new FakeWallet(api, 40);
    api.on('POST /rest/v1/rpc/is_admin_user', () => json(true));
    showRoute(<HomeRoute />);
    expect(await screen.findByRole('link', { name: 'Admin' })).toHaveAttribute('href', '/admin');
    expect(screen.getByRole('link', { name: /^Manage Blogs/ })).toHaveAttribute('href', '/blogs');
    expect(api.callsTo('POST /rest/v1/rpc/is_admin_user')[0]?.body).toHaveProperty('user_id_param');
  });

  // rows: S-161 S-423
  test('an administrator is known again once the server answers', async () => {
    new FakeWallet(api, 40);
    let asked = 0;
    api.on('POST /rest/v1/rpc/is_admin_user', () => {
      asked += 1;
      return asked === 1 ? json({ message: 'down' }, 503) : json(true);
    });
    showRoute(<HomeRoute />);
    const admin = await screen.findByRole('link', { name: 'Admin' }, { timeout: 10_000 });
    expect(admin).toBeInTheDocument();
    expect(asked).toBe(2);
  });

  // rows: S-156
  test('an announced tool says that it is not there yet', async () => {
    new FakeWallet(api, 40);
    const { person } = showRoute(<HomeRoute />, { at: '/home' });
    await person.click(screen.getByRole('button', { name: 'Exam Support' }));
    expect(screen.getByRole('status', { name: '' })).toBeInTheDocument();
    expect(screen.getByText('Exam Support will be available soon.')).toBeInTheDocument();
    expect(address()).toBe('/home');
  });

  // rows: S-157 S-158
  test('the screen has the WhatsApp button and the seven tips', () => {
    new FakeWallet(api, 40);
    showRoute(<HomeRoute />);
    const chat = screen.getByRole('link', { name: 'Chat on WhatsApp' });
    expect(chat).toHaveAttribute('target', '_blank');
    expect(chat.getAttribute('href')).toMatch(/^https:\/\/wa\.me\/\d+\?text=Namaste/);
    for (const tip of [
      'Each lesson plan costs 20 credits.',
      'A payment of ₹100 gives 150 credits.',
      'Upload a sample lesson to customise.',
      'Image generation and table formatting are not included.',
      'Give detailed subject and topic information.',
      'Generated content can be edited.',
      'The first lesson plan is free.',
    ]) {
      expect(screen.getByText(tip)).toBeInTheDocument();
    }
  });

  // rows: S-017 S-158 S-162 S-163
  test('one screen shows both prices', async () => {
    new FakeWallet(api, 40);
    showRoute(<HomeRoute />, { at: '/home?buy=credits' });
    const dialog = await screen.findByRole('dialog', { name: 'Buy More Credits' });
    expect(dialog).toHaveTextContent('10 rupees = 10 credits');
    expect(dialog).toHaveTextContent('20 credits for 20 rupees');
    expect(screen.getByText('A payment of ₹100 gives 150 credits.')).toBeInTheDocument();
  });

  // rows: S-339
  test('a payment that waits for verification is shown to its payer', async () => {
    new FakeWallet(api, 40);
    api.on('GET /rest/v1/payment_transactions', () => json([payment(20), payment(100)]));
    showRoute(<HomeRoute />);
    expect(await screen.findByText(/^2 payments wait for verification/)).toHaveTextContent('₹120');
    const query = api.callsTo('GET /rest/v1/payment_transactions')[0]?.query;
    expect(query?.get('user_id')).toBe(`eq.${teacher.id}`);
    expect(query?.get('or')).toMatch(
      /^\(status\.eq\.PENDING,and\(status\.eq\.REJECTED,settled_at\.gte\.[^)]+\)\)$/,
    );
  });

  // rows: S-339
  test('the payer reads why a payment was rejected', async () => {
    new FakeWallet(api, 40);
    const rejected = {
      ...payment(100),
      status: 'REJECTED',
      rejection_reason: 'Nothing came on 22-11-2026 for UPI-12.',
    };
    api.on('GET /rest/v1/payment_transactions', () => json([rejected]));
    showRoute(<HomeRoute />);
    expect(
      await screen.findByText(/^A payment of ₹100 \(23-\u206011-\u20602026, 14:05\) was not accepted:/),
    ).toBeInTheDocument();
    expect(screen.getByText(/Nothing came on 22-\u206011-\u20602026 for UPI-12\.$/)).toBeInTheDocument();
    expect(screen.queryByText(/verification/)).toBeNull();
  });

  test('a payment that was just reported waits at once', async () => {
    new FakeWallet(api, 40);
    const rows: unknown[] = [];
    api.on('GET /rest/v1/payment_transactions', () => json(rows));
    showRoute(<Reporter />);
    await waitFor(() => {
      expect(api.callsTo('GET /rest/v1/payment_transactions')).toHaveLength(1);
    });
    expect(screen.queryByText(/verification/)).toBeNull();
    rows.push(payment(20));
    await userEvent.click(screen.getByRole('button', { name: 'report' }));
    expect(await screen.findByText(/^1 payment waits for verification/)).toBeInTheDocument();
  });

  // rows: S-154
  test('the balance is read again once a waiting payment is settled', async () => {
    const wallet = new FakeWallet(api, 20);
    const rows = [payment(100), payment(20)];
    api.on('GET /rest/v1/payment_transactions', () => json(rows));
    vi.useFakeTimers({ shouldAdvanceTime: true });
    showRoute(<HomeRoute />);
    expect(await screen.findByText(/^2 payments wait/)).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: '20 credits' })).toBeInTheDocument();
    rows.pop();
    wallet.coins = 40;
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(await screen.findByText(/^1 payment waits/)).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: '40 credits' })).toBeInTheDocument();
    rows.pop();
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    const asked = api.callsTo('GET /rest/v1/payment_transactions').length;
    await act(() => vi.advanceTimersByTimeAsync(120_000));
    expect(api.callsTo('GET /rest/v1/payment_transactions')).toHaveLength(asked);
  });

  describe('a payment that was begun and not reported', () => {
    const begun = {
      transactionId: 'MANUAL_1700000000000abcdef',
      amount: 60,
      credits: 60,
      plan: '',
      phoneOptional: false,
      startedAt: Date.UTC(2026, 10, 22, 9, 30),
    };

    beforeEach(() => {
      new FakeWallet(api, 40);
      api.on('GET /rest/v1/payment_transactions', () => json([]));
      api.on('POST /rest/v1/payment_transactions', () => new Response(null, { status: 201 }));
      saveUnreported(teacher.id, begun);
    });

    test('the screen asks for an unreported payment until the user says it is not paid', async () => {
      const { person } = showRoute(<HomeRoute />);
      expect(
        screen.getByText(
          'You began to pay ₹60 (22-\u206011-\u20602026, 15:00), and it was not reported to us yet.',
        ),
      ).toBeInTheDocument();
      await person.click(screen.getByRole('button', { name: 'No, not paid' }));
      expect(screen.queryByText('Have you paid?')).toBeNull();
      expect(localStorage.getItem(`payment.${teacher.id}`)).toBeNull();
    });

    test('the screen asks once for an unreported payment while a dialog is open', async () => {
      signedInAs(teacher.id);
      const { person } = showRoute(<HomeRoute />);
      const question = () => screen.getByText(/^You began to pay ₹60/).closest('section');
      expect(question()).not.toHaveClass('opacity-0');
      await person.click(screen.getByRole('button', { name: 'Yes, I have paid' }));
      await screen.findByLabelText('Phone number');
      expect(question()).toHaveClass('opacity-0');
      await person.keyboard('{Escape}');
      await waitFor(() => {
        expect(question()).not.toHaveClass('opacity-0');
      });
      await person.click(screen.getByRole('button', { name: 'Buy More Credits' }));
      const dialog = await screen.findByRole('dialog', { name: 'Have you paid?' });
      expect(dialog).toBeInTheDocument();
      const behind = screen.getAllByText(/^You began to pay ₹60/).filter((text) => !dialog.contains(text));
      expect(behind.map((text) => text.closest('section')?.className.includes('opacity-0'))).toEqual([true]);
    });

    test('an unreported payment is reported with the id under which it was paid', async () => {
      signedInAs(teacher.id);
      const { person } = showRoute(<HomeRoute />);
      await person.click(screen.getByRole('button', { name: 'Yes, I have paid' }));
      await person.type(await screen.findByLabelText('Phone number'), '9876543210');
      await person.click(screen.getByRole('button', { name: 'Submit' }));
      expect(await screen.findByText(/^Thank you for making the payment!/)).toBeInTheDocument();
      expect(screen.queryByText('Have you paid?')).toBeNull();
      const [row] = api.callsTo('POST /rest/v1/payment_transactions');
      expect(row?.body).toMatchObject({ transaction_id: begun.transactionId, amount: 60, credits: 60 });
    });

    test('the screen asks no other user for an unreported payment', () => {
      showRoute(<HomeRoute />, { user: { id: 'another', email: 'bina@school.example' } });
      expect(screen.queryByText('Have you paid?')).toBeNull();
    });
  });

  // rows: S-149
  test('Logout signs out', async () => {
    new FakeWallet(api, 40);
    const { person, signOut } = showRoute(<HomeRoute />);
    await person.click(screen.getByRole('button', { name: 'Logout' }));
    expect(signOut).toHaveBeenCalledOnce();
  });
});
