import { AuthRetryableFetchError } from '@supabase/supabase-js';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { queryClient } from '@/lib/query-client';
import { supabase } from '@/lib/supabase';
import { FakeApi, json, noNetwork } from '@/test/fake-api';
import { drawnQr, qrOf } from '@/test/qr';
import { signedInAs } from '@/test/signed-in-as';
import BuyPack from './components/buy-pack';
import BuyCredits from './components/buy-credits';
import { unreportedPayment } from './unreported-payment';
import { digitsOfPhone, parseAmount } from './schema';
import { manualTransactionId } from './transaction-id';
import { upiLink } from './upi-link';

// rows: S-167
test('the UPI link follows the rules of its fields', () => {
  const link = upiLink({
    payeeAddress: 'saathi.pay@okbank',
    payeeName: 'Shikshak Saathi & Co',
    amount: 100,
    credits: 100,
    reference: 'MANUAL_1700000000000abc123',
  });
  expect(link).toBe(
    'upi://pay?pa=saathi.pay@okbank&pn=Shikshak%20Saathi%20%26%20Co&am=100&cu=INR&tn=100%20credits&tr=MANUAL_1700000000000abc123',
  );
});

// rows: S-171
test('a manual transaction id has the time and a random suffix', () => {
  expect(manualTransactionId(1_700_000_000_000, () => 0)).toBe('MANUAL_1700000000000000000');
  expect(manualTransactionId(1_700_000_000_000, () => 0.999999)).toMatch(/^MANUAL_1700000000000[0-9a-z]{6}$/);
  expect(manualTransactionId(9_999_999_999_999, () => 0.5).length).toBeLessThanOrEqual(35);
});

// rows: S-164
test('an amount is a whole number above zero', () => {
  expect(['20', '1', ' 7 '].map(parseAmount)).toEqual([20, 1, 7]);
  expect(['', '0', '-5', '1.5', 'ten', '12345678'].map(parseAmount)).toEqual(Array(6).fill(null));
});

// rows: S-169
test('a phone number keeps ten digits', () => {
  expect(digitsOfPhone('+91 98765-43210')).toBe('9198765432');
  expect(digitsOfPhone('98765 43210')).toBe('9876543210');
});

function press(name: string | RegExp) {
  fireEvent.click(screen.getByRole('button', { name }));
}

/** Another app comes to the front. */
function hidePage() {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  hidden.mockRestore();
}

/** The seconds pass one by one for the countdown. */
async function wait(seconds: number) {
  for (let second = 0; second < seconds; second += 1) await act(() => vi.advanceTimersByTimeAsync(1_000));
}

describe('buying credits', () => {
  let api: FakeApi;
  const closed = vi.fn();

  beforeEach(() => {
    vi.useFakeTimers();
    closed.mockReset();
    api = new FakeApi().on('POST /rest/v1/payment_transactions', () => new Response(null, { status: 201 }));
    signedInAs('me');
    open();
  });

  function open() {
    render(
      <QueryClientProvider client={queryClient}>
        <BuyCredits userId="me" onClose={closed} />
        <Toaster />
      </QueryClientProvider>,
    );
  }

  /** The phone drops the page, and the teacher opens it again. */
  function openAnew() {
    cleanup();
    open();
  }

  function writtenIds(): unknown[] {
    return api
      .callsTo('POST /rest/v1/payment_transactions')
      .map(({ body }): unknown => (body instanceof Object ? Reflect.get(body, 'transaction_id') : undefined));
  }

  async function pay() {
    press(/Basic Pack/);
    await wait(20);
    press('Confirm Payment');
  }

  async function submit(phone: string) {
    fireEvent.change(screen.getByLabelText('Phone number'), { target: { value: phone } });
    press('Submit');
    await act(() => vi.advanceTimersByTimeAsync(10));
  }

  // rows: S-163 S-428
  test('the pack is offered and does not look chosen', () => {
    expect(screen.getByRole('button', { name: /Basic Pack/ })).toHaveTextContent('20 credits for 20 rupees');
    expect(screen.getByText('1 credit per rupee')).toBeInTheDocument();
    expect(screen.getByRole('dialog', { name: 'Buy More Credits' })).toHaveFocus();
  });

  // rows: S-164
  test('an invalid amount is refused', () => {
    press('Buy Credits');
    expect(screen.getByRole('alert')).toHaveTextContent('Invalid amountPlease enter a valid credit amount.');
  });

  // rows: S-168
  test('the confirm button appears after twenty seconds', async () => {
    press(/Basic Pack/);
    expect(screen.getByText('You can confirm in 20 seconds')).toBeInTheDocument();
    await wait(19);
    expect(screen.getByText('You can confirm in 1 second')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Confirm Payment' })).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(screen.getByRole('button', { name: 'Confirm Payment' })).toBeInTheDocument();
    expect(screen.getByText('You can confirm now')).toHaveAttribute('role', 'status');
  });

  // rows: S-165
  test('the QR code holds the link of the button', async () => {
    press(/Basic Pack/);
    await act(() => vi.advanceTimersByTimeAsync(100));
    const link = screen.getByRole('link', { name: 'Pay with UPI App' }).getAttribute('href') ?? '';
    expect(link).toMatch(/^upi:\/\/pay\?pa=saathi@upi\.example&.*am=20&cu=INR&tn=20%20credits&/);
    const code = await vi.waitFor(() => screen.getByRole('img', { name: /₹20/ }));
    expect(drawnQr(code)).toEqual(qrOf(link));
  });

  // rows: S-166
  test('the UPI number can be copied', async () => {
    const writeText = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal('navigator', Object.assign(navigator, { clipboard: { writeText } }));
    press(/Basic Pack/);
    press('Copy');
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(writeText).toHaveBeenCalledWith('saathi@upi.example');
    expect(screen.getByText('Copied!')).toBeInTheDocument();
    expect(screen.getByText('UPI number copied to clipboard')).toBeInTheDocument();
  });

  // rows: S-169
  test('the phone number is required', async () => {
    await pay();
    await submit('');
    expect(screen.getAllByText('Please enter your phone number').length).toBeGreaterThan(0);
    expect(api.callsTo('POST /rest/v1/payment_transactions')).toHaveLength(0);
  });

  // rows: S-170 S-172
  test('a pending row is written, and the user is thanked', async () => {
    await pay();
    await submit('98765 43210 99');
    expect(api.callsTo('POST /rest/v1/payment_transactions')[0]?.body).toMatchObject({
      amount: 20,
      credits: 20,
      status: 'PENDING',
      phone_number: '9876543210',
      customer_info: { mobile: '9876543210' },
      user_id: 'me',
    });
    expect(
      screen.getByText(
        'Thank you for making the payment! We will verify the payment and credit your account within 4 hours.',
      ),
    ).toBeInTheDocument();
    expect(closed).toHaveBeenCalledOnce();
  });

  /** A server that writes the row, but whose first answer is lost. */
  function losesItsFirstAnswer() {
    const rows: unknown[] = [];
    api.on('POST /rest/v1/payment_transactions', () => {
      const [id] = writtenIds().slice(-1);
      if (rows.includes(id)) return json({ code: '23505', message: 'duplicate' }, 409);
      rows.push(id);
      return rows.length === 1 ? noNetwork() : new Response(null, { status: 201 });
    });
    return rows;
  }

  test('a payment whose answer was lost is one row', async () => {
    const rows = losesItsFirstAnswer();
    await pay();
    await submit('9876543210');
    expect(screen.getByText('Failed to create payment request. Please try again.')).toBeInTheDocument();
    await submit('9876543210');
    expect(screen.getByText(/^Thank you for making the payment!/)).toBeInTheDocument();
    expect(rows).toHaveLength(1);
    expect(closed).toHaveBeenCalledOnce();
  });

  // rows: D11
  test('an id that is taken is the own payment', async () => {
    api.on('POST /rest/v1/payment_transactions', () => json({ code: '23505', message: 'duplicate' }, 409));
    await pay();
    await submit('9876543210');
    expect(writtenIds()).toHaveLength(1);
    expect(closed).toHaveBeenCalledOnce();
  });

  test('a payment survives a page that the phone drops', async () => {
    press(/Basic Pack/);
    const link = screen.getByRole('link', { name: 'Pay with UPI App' }).getAttribute('href') ?? '';
    hidePage();
    openAnew();
    expect(screen.getByRole('dialog', { name: 'Have you paid?' })).toHaveTextContent(
      /^Have you paid\?You began to pay ₹20 \(.*\), and it was not reported to us yet\./,
    );
    press('Yes, I have paid');
    await submit('9876543210');
    expect(writtenIds()).toEqual([new URL(link).searchParams.get('tr')]);
    expect(closed).toHaveBeenCalledOnce();
    openAnew();
    expect(screen.getByRole('dialog', { name: 'Buy More Credits' })).toBeInTheDocument();
  });

  test('the dialog does not ask again for a payment that was not made', () => {
    press(/Basic Pack/);
    hidePage();
    openAnew();
    press('No, not paid');
    expect(screen.getByRole('dialog', { name: 'Buy More Credits' })).toBeInTheDocument();
    openAnew();
    expect(screen.getByRole('dialog', { name: 'Buy More Credits' })).toBeInTheDocument();
  });

  // rows: S-280
  test('a dialog that was closed at once asks nothing', () => {
    press(/Basic Pack/);
    openAnew();
    expect(screen.getByRole('dialog', { name: 'Buy More Credits' })).toBeInTheDocument();
  });

  test('a press beside the dialog closes it only before money may be on its way', async () => {
    await wait(1);
    press(/Basic Pack/);
    fireEvent.pointerDown(document.body);
    fireEvent.click(document.body);
    expect(closed).not.toHaveBeenCalled();
    openAnew();
    await wait(1);
    fireEvent.pointerDown(document.body);
    fireEvent.click(document.body);
    expect(closed).toHaveBeenCalledOnce();
  });

  test('the countdown goes on while the page is suspended behind another app', async () => {
    press(/Basic Pack/);
    await wait(2);
    vi.setSystemTime(Date.now() + 60_000);
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    expect(screen.getByRole('button', { name: 'Confirm Payment' })).toBeInTheDocument();
  });

  // rows: S-173
  test('an insert error keeps the dialog open', async () => {
    api.on('POST /rest/v1/payment_transactions', () => json({ code: '42501', message: 'no' }, 403));
    await pay();
    await submit('9876543210');
    expect(screen.getByText('Failed to create payment request. Please try again.')).toBeInTheDocument();
    expect(closed).not.toHaveBeenCalled();
  });

  // rows: S-174
  test('an exception still thanks the user', async () => {
    vi.spyOn(supabase.auth, 'getSession').mockRejectedValue(new Error('unexpected'));
    await pay();
    await submit('9876543210');
    expect(screen.getByText(/^Thank you for making the payment!/)).toBeInTheDocument();
    expect(closed).toHaveBeenCalledOnce();
  });

  // rows: S-175
  test('without a user the dialog asks to log in again', async () => {
    vi.spyOn(supabase.auth, 'getSession').mockResolvedValue({ data: { session: null }, error: null });
    await pay();
    await submit('9876543210');
    expect(screen.getByText('Authentication error')).toBeInTheDocument();
    expect(screen.getByText('Please log in again')).toBeInTheDocument();
    expect(closed).not.toHaveBeenCalled();
  });
});

describe('buying a pack from the communication tool', () => {
  const closed = vi.fn();

  beforeEach(() => {
    vi.useFakeTimers();
    closed.mockReset();
    signedInAs('me');
    render(
      <QueryClientProvider client={queryClient}>
        <BuyPack userId="me" coins={0} cost={20} activity="Communication Tools" onClose={closed} />
        <Toaster />
      </QueryClientProvider>,
    );
  });

  async function pay() {
    press('Buy');
    await wait(22);
    press('I have made the payment');
    press('Submit');
    await act(() => vi.advanceTimersByTimeAsync(10));
  }

  // rows: S-283
  test('an insert error keeps the dialog open', async () => {
    new FakeApi().on('POST /rest/v1/payment_transactions', () => json({ message: 'no' }, 400));
    await pay();
    expect(screen.getByText('Failed to create payment request. Please try again.')).toBeInTheDocument();
    expect(closed).not.toHaveBeenCalled();
  });

  // rows: S-283
  test('an exception still thanks the user and closes', async () => {
    vi.spyOn(supabase.auth, 'getSession').mockRejectedValue(new Error('broken'));
    await pay();
    expect(screen.getByText(/^Thank you for making the payment!/)).toBeInTheDocument();
    expect(closed).toHaveBeenCalledOnce();
  });

  // rows: S-283
  test('a session that could not be renewed is no sign-out', async () => {
    vi.spyOn(supabase.auth, 'getSession').mockResolvedValue({
      data: { session: null },
      error: new AuthRetryableFetchError('Failed to fetch', 0),
    });
    await pay();
    expect(screen.getByText('Failed to create payment request. Please try again.')).toBeInTheDocument();
    expect(closed).not.toHaveBeenCalled();
    expect(unreportedPayment('me'), 'it can still be reported').not.toBeNull();
  });

  // rows: S-284
  test('without a user the dialog asks to log in', async () => {
    signedInAs(null);
    await pay();
    expect(screen.getByText('Authentication required')).toBeInTheDocument();
    expect(screen.getByText('Please log in to proceed with payment')).toBeInTheDocument();
    expect(closed).not.toHaveBeenCalled();
  });
});
