import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { MemoryRouter } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { indianDate, indianTime } from '@/features/payments/api/report-plan-payment';
import { plans, popularPlan, purchaseOf } from '@/features/payments/plans';
import { queryClient } from '@/lib/query-client';
import { SessionContext, type SessionState } from '@/lib/session';
import { FakeApi, FakeWallet, json } from '@/test/fake-api';
import { drawnQr, qrOf } from '@/test/qr';
import { signedInAs } from '@/test/signed-in-as';
import SubscriptionRoute from './subscription';

const teacher: SessionState = { status: 'signed-in', user: { id: 'me', email: 'asha@school.example' } };

function open(session: SessionState, query = '') {
  queryClient.clear();
  render(
    <MemoryRouter initialEntries={[`/subscription${query}`]}>
      <SessionContext
        value={{ session, signOut: () => Promise.resolve(), sessionEnded: () => Promise.resolve() }}
      >
        <QueryClientProvider client={queryClient}>
          <SubscriptionRoute />
          <Toaster />
        </QueryClientProvider>
      </SessionContext>
    </MemoryRouter>,
  );
}

function plan(name: string) {
  return within(screen.getByRole('region', { name }));
}

describe('the prices', () => {
  beforeEach(() => {
    new FakeWallet(new FakeApi(), 40);
  });

  // rows: S-286 S-287
  test('there are three plans with their prices', () => {
    open({ status: 'signed-out' });
    expect(plan('Basic').getByText('20 credits')).toBeInTheDocument();
    expect(plan('Standard').getByText('₹100')).toBeInTheDocument();
    expect(plan('Standard').getByText('150 credits')).toBeInTheDocument();
    expect(plan('Premium').getByText('₹250')).toBeInTheDocument();
    expect(plan('Premium').getByText('400 credits')).toBeInTheDocument();
  });

  // rows: S-288
  test('Standard is the most popular plan unless Basic is highlighted', () => {
    open({ status: 'signed-out' });
    expect(plan('Standard').getByText('Most Popular')).toBeInTheDocument();
    expect(screen.getAllByText('Most Popular')).toHaveLength(1);
    expect(popularPlan('basic')).toBe('basic');
    expect(popularPlan('premium')).toBe('standard');
  });

  // rows: S-288
  test('the highlight in the address moves the badge', () => {
    open({ status: 'signed-out' }, '?highlight=basic');
    expect(plan('Basic').getByText('Most Popular')).toBeInTheDocument();
    expect(screen.getAllByText('Most Popular')).toHaveLength(1);
  });

  // rows: S-289 S-299
  test('pay-as-you-go moves in steps of 20 and not below', () => {
    open({ status: 'signed-out' });
    const basic = plan('Basic');
    expect(basic.getByRole('button', { name: '20 less' })).toBeDisabled();
    fireEvent.click(basic.getByRole('button', { name: '20 more' }));
    fireEvent.click(basic.getByRole('button', { name: '20 more' }));
    expect(basic.getByRole('button', { name: 'Buy 60 credits, Basic' })).toBeInTheDocument();
    fireEvent.click(basic.getByRole('button', { name: '20 less' }));
    expect(basic.getByText('40 credits')).toBeInTheDocument();
    const [payAsYouGo, standard] = plans;
    if (!payAsYouGo || !standard) throw new Error('there are three plans');
    expect(purchaseOf(payAsYouGo, 5000)).toMatchObject({ amount: 5000, credits: 5000 });
    expect(purchaseOf(standard, 5000)).toMatchObject({ amount: 100, credits: 150 });
  });

  // rows: S-290
  test('the page answers the questions before buying', () => {
    open({ status: 'signed-out' });
    const facts = screen.getByRole('region', { name: 'Before you buy' });
    for (const fact of ['Only on successful generation', 'never expire', 'top up at any time']) {
      expect(facts).toHaveTextContent(fact);
    }
  });

  // rows: S-291
  test('a visitor who buys is asked to log in', () => {
    open({ status: 'signed-out' });
    fireEvent.click(plan('Premium').getByRole('button', { name: /^Buy/ }));
    expect(screen.getByRole('alert')).toHaveTextContent(
      'Please log inYou need to be logged in to make a purchase.',
    );
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  // rows: S-053 S-042
  test('a teacher has the bottom bar with Pricing marked', async () => {
    open(teacher);
    const bar = screen.getByRole('navigation', { name: 'Main' });
    expect(within(bar).getByRole('link', { name: 'Pricing' })).toHaveAttribute('aria-current', 'page');
    expect(await screen.findByRole('link', { name: '40 credits' })).toBeInTheDocument();
  });
});

describe('paying for a plan', { timeout: 20_000 }, () => {
  let api: FakeApi;

  beforeEach(() => {
    api = new FakeApi();
    new FakeWallet(api, 40);
    api.on('PATCH /rest/v1/profiles', () => new Response(null, { status: 204 }));
    api.on('POST /rest/v1/payment_transactions', () => new Response(null, { status: 201 }));
  });

  async function buyStandard() {
    open(teacher);
    fireEvent.click(plan('Standard').getByRole('button', { name: /^Buy/ }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Standard' }, { timeout: 5_000 }));
    vi.useFakeTimers();
    return dialog;
  }

  function type(dialog: { getByLabelText: (label: string) => HTMLElement }, text: string) {
    fireEvent.change(dialog.getByLabelText('Phone number'), { target: { value: text } });
  }

  async function pass(seconds: number) {
    await act(() => vi.advanceTimersByTimeAsync(seconds * 1_000));
  }

  const paid = { name: "I've Made the Payment" };

  // rows: S-293
  test('a phone number is required', async () => {
    const dialog = await buyStandard();
    type(dialog, '98a765-4321');
    expect(dialog.getByLabelText('Phone number')).toHaveValue('987654321');
    expect(dialog.queryByText('UPI number')).toBeNull();
    expect(dialog.getByRole('button', paid)).toHaveAttribute('aria-disabled', 'true');
    fireEvent.click(dialog.getByRole('button', paid));
    expect(screen.getByRole('alert', { hidden: true })).toHaveTextContent(
      'Phone number requiredPlease enter your phone number to proceed',
    );
  });

  // rows: S-294 S-296 S-302
  test('ten digits show the QR code and start 30 seconds', async () => {
    const dialog = await buyStandard();
    const toCome = 'The QR code for ₹100 appears here when the number is complete.';
    expect(dialog.getByText(toCome)).toBeInTheDocument();
    type(dialog, '9876543210');
    expect(dialog.queryByText(toCome)).toBeNull();
    expect(dialog.getByText('saathi@upi.example')).toBeInTheDocument();
    expect(dialog.getByRole('link', { name: 'Pay with UPI App' })).toHaveAttribute(
      'href',
      expect.stringMatching(/^upi:\/\/pay\?pa=saathi@upi\.example&.*am=100&cu=INR&/),
    );
    const link = dialog.getByRole('link', { name: 'Pay with UPI App' }).getAttribute('href') ?? '';
    const code = await vi.waitFor(() => dialog.getByRole('img', { name: /₹100/ }));
    expect(drawnQr(code)).toEqual(qrOf(link));
    expect(dialog.getByRole('button', { name: 'Wait 30s' })).toBeDisabled();
    await pass(29);
    expect(dialog.getByRole('button', { name: 'Wait 1s' })).toBeDisabled();
    await pass(1);
    expect(dialog.getByRole('button', paid)).toBeEnabled();
  });

  // rows: S-303
  test('editing the number hides the panel and does not restart the countdown', async () => {
    const dialog = await buyStandard();
    type(dialog, '9876543210');
    await pass(10);
    type(dialog, '987654321');
    expect(dialog.queryByText('UPI number')).toBeNull();
    await pass(10);
    type(dialog, '9876543211');
    expect(dialog.getByRole('button', { name: 'Wait 10s' })).toBeDisabled();
  });

  // rows: S-295
  test('Copy says that the number was copied', async () => {
    const dialog = await buyStandard();
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', Object.assign(navigator, { clipboard: { writeText } }));
    type(dialog, '9876543210');
    fireEvent.click(dialog.getByRole('button', { name: 'Copy Phone' }));
    await pass(0);
    expect(writeText).toHaveBeenCalledWith('saathi@upi.example');
    expect(screen.getByText('Phone Number Copied')).toBeInTheDocument();
  });

  // rows: S-297 S-298 S-299 S-300 S-301
  test('the payment is recorded, and the user is thanked', async () => {
    const dialog = await buyStandard();
    vi.setSystemTime('2026-12-24T20:00:00Z');
    type(dialog, '9876543210');
    await pass(30);
    fireEvent.click(dialog.getByRole('button', paid));
    await pass(1);
    expect(screen.getByRole('dialog', { name: 'Thank You' })).toHaveTextContent(
      'credits appear after verification in 2 to 6 hours',
    );
    const [payment] = api.callsTo('POST /rest/v1/payment_transactions');
    expect(payment?.body).toHaveProperty('transaction_id', expect.stringMatching(/^UPI_\d{13}$/));
    expect(payment?.body).toMatchObject({
      user_id: 'me',
      amount: 100,
      credits: 150,
      status: 'PENDING',
      phone_number: '9876543210',
      customer_info: { phone: '9876543210', plan: 'Standard', timestamp: '2026-12-24T20:00:30.000Z' },
    });
    expect(api.callsTo('PATCH /rest/v1/profiles')[0]?.body).toEqual({
      last_payment_amount: 100,
      last_payment_date: '2026-12-25',
      last_payment_time: '01:30:30',
    });
  });

  // rows: S-297
  test('failures of both writes are only logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    api.on('PATCH /rest/v1/profiles', () => json({ message: 'no' }, 403));
    api.on('POST /rest/v1/payment_transactions', () => json({ message: 'no' }, 403));
    const dialog = await buyStandard();
    type(dialog, '9876543210');
    await pass(30);
    fireEvent.click(dialog.getByRole('button', paid));
    await pass(1);
    expect(screen.getByRole('dialog', { name: 'Thank You' })).toBeInTheDocument();
    expect(log).toHaveBeenCalledTimes(2);
    fireEvent.click(screen.getAllByRole('button', { name: 'Close' })[0] ?? document.body);
    expect(screen.getByText('Have you paid?'), 'so that it can be reported once more').toBeInTheDocument();
  });

  test('a payment whose answer was lost is one row', async () => {
    const ids = (): unknown[] =>
      api
        .callsTo('POST /rest/v1/payment_transactions')
        .map(({ body }): unknown =>
          body instanceof Object ? Reflect.get(body, 'transaction_id') : undefined,
        );
    api.on('POST /rest/v1/payment_transactions', () =>
      json({ code: '23505', message: 'duplicate key' }, 409),
    );
    const dialog = await buyStandard();
    type(dialog, '9876543210');
    await pass(30);
    fireEvent.click(dialog.getByRole('button', paid));
    await pass(1);
    expect(screen.getByRole('dialog', { name: 'Thank You' })).toBeInTheDocument();
    expect(ids()).toHaveLength(1);
    expect(localStorage).toHaveLength(0);
  });

  test('a plan that was paid in another app can still be reported', async () => {
    signedInAs('me');
    const dialog = await buyStandard();
    type(dialog, '9876543210');
    const link = dialog.getByRole('link', { name: 'Pay with UPI App' });
    link.addEventListener('click', (event) => {
      event.preventDefault();
    });
    fireEvent.click(link);
    vi.useRealTimers();
    cleanup();
    open(teacher);
    fireEvent.click(screen.getByRole('button', { name: 'Yes, I have paid' }));
    fireEvent.change(await screen.findByLabelText('Phone number'), { target: { value: '9876543210' } });
    fireEvent.click(screen.getByRole('button', { name: 'Submit' }));
    expect(await screen.findByText(/after verification in 2 to 6 hours/)).toBeInTheDocument();
    expect(api.callsTo('POST /rest/v1/payment_transactions')[0]?.body).toMatchObject({
      amount: 100,
      credits: 150,
      customer_info: { phone: '9876543210', plan: 'Standard' },
    });
    expect(screen.queryByText('Have you paid?')).toBeNull();
  });
});

// rows: S-300
test('date and time of day are Indian', () => {
  expect(indianDate(new Date('2026-11-20T20:00:00Z'))).toBe('2026-11-21');
  expect(indianTime(new Date('2026-11-20T20:00:00Z'))).toBe('01:30:00');
});
