import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { supabase } from '@/lib/supabase';
import { FakeApi, FakeWallet, deferredResponse, json } from '@/test/fake-api';
import { address, catchDownloads, showRoute, teacher } from '@/test/show-route';
import CommunicationToolRoute from './communication-tool';

const generate = 'POST /functions/v1/generate-communication';
const send = 'POST /functions/v1/send-generated-content';
const answer = {
  documentContent: btoa('{\\rtf1 letter}'),
  filename: 'communication.rtf',
  generatedCommunication: 'Dear parents, ...',
};

let api: FakeApi;
let saved: ReturnType<typeof catchDownloads>;

const button = () => screen.getByRole('button', { name: /^Generat(e|ing) Communication/ });

beforeEach(() => {
  saved = catchDownloads();
  api = new FakeApi()
    .on(generate, () => json(answer))
    .on(send, () => json({ success: true }))
    .on('GET /rest/v1/generations', () => json([]));
});

function type(label: string, value: string) {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

function fill() {
  fireEvent.click(screen.getByRole('radio', { name: 'PTM message' }));
  type('Target audience', 'parents of Class 6');
  type('Sender role', 'Class teacher');
  type('Sender name', 'Asha');
  type('Event date', '2026-01-15');
  type('Purpose or subject', 'PTM');
  type('Key details', 'At 10 in the hall.');
}

describe('the communication tool', { timeout: 20_000 }, () => {
  // rows: S-253 S-254
  test('the header has Back, balance and Logout', async () => {
    new FakeWallet(api, 40);
    showRoute(<CommunicationToolRoute />);
    expect(screen.getByRole('link', { name: 'Back' })).toBeInTheDocument();
    expect(screen.getByText('...')).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: '40 credits' })).toHaveAttribute('href', '/subscription');
    expect(screen.getByRole('button', { name: 'Logout' })).toBeInTheDocument();
  });

  // rows: S-255
  test('Back goes one step back in the history', async () => {
    new FakeWallet(api, 40);
    const { person } = showRoute(<CommunicationToolRoute />, { behind: '/faqs', at: '/communication-tool' });
    await person.click(screen.getByRole('link', { name: 'Back' }));
    expect(address()).toBe('/faqs');
  });

  // rows: S-258 S-259 S-260 S-261 S-263
  test('the fields are listed and the optional ones say so', () => {
    new FakeWallet(api, 40);
    showRoute(<CommunicationToolRoute />);
    for (const label of ['School name', 'Signature or closing']) {
      expect(screen.getByLabelText(new RegExp(`^${label}`)).closest('div')).toHaveTextContent('optional');
    }
    for (const label of ['Target audience', 'Sender role', 'Sender name', 'Purpose or subject']) {
      expect(screen.getByLabelText(label).tagName).toBe('INPUT');
    }
    expect(screen.getByLabelText('Event date')).toHaveAttribute('type', 'date');
    expect(screen.getByLabelText('Key details').tagName).toBe('TEXTAREA');
  });

  // rows: S-426
  test('Enter does nothing while the document is generated', async () => {
    new FakeWallet(api, 60);
    const held = deferredResponse();
    api.on(generate, () => held.answer);
    const { person } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(button());
    expect(await screen.findByRole('button', { name: /^Generating Communication/ })).toBeDisabled();
    fireEvent.submit(button().closest('form') ?? button());
    held.give(json(answer));
    expect(await screen.findByText('Communication Generated!')).toBeInTheDocument();
    expect(api.callsTo(generate)).toHaveLength(1);
  });

  // rows: S-257 S-262 S-264 S-265
  test('the choices are listed and the defaults are chosen', () => {
    new FakeWallet(api, 40);
    showRoute(<CommunicationToolRoute />);
    const values = (name: string) =>
      screen
        .getAllByRole<HTMLInputElement>('radio')
        .filter((radio) => radio.name === name)
        .map(({ value, checked }) => (checked ? `${value}!` : value));
    expect(values('communicationType')).toEqual(['whatsapp', 'ptm', 'formal']);
    expect(values('tone')).toEqual(['formal!', 'semi-formal', 'friendly']);
    expect(values('outputType')).toEqual(['download!', 'email']);
    expect(
      screen.getAllByRole<HTMLInputElement>('radio').map(({ labels }) => labels?.[0]?.textContent),
    ).toEqual([
      'WhatsApp message',
      'PTM message',
      'Formal letter',
      'Formal',
      'Semi-formal',
      'Friendly',
      'Download',
      'Send to my email',
    ]);
  });

  // rows: S-266 S-285
  test('the button waits for every field, and a past day is allowed', () => {
    new FakeWallet(api, 40);
    showRoute(<CommunicationToolRoute />);
    expect(button()).toBeDisabled();
    fill();
    expect(button()).toBeEnabled();
    type('Key details', '  ');
    expect(button()).toBeDisabled();
  });

  // rows: S-267
  test('Enter in an incomplete form says what is missing', async () => {
    new FakeWallet(api, 40);
    showRoute(<CommunicationToolRoute />);
    fireEvent.submit(screen.getByLabelText('Sender name'));
    expect(await screen.findByText('Please fill in all required fields')).toBeInTheDocument();
    expect(
      screen.getByText('Make sure to complete all required information before generating'),
    ).toBeInTheDocument();
    expect(api.callsTo(generate)).toEqual([]);
  });

  // rows: S-270 S-271 S-272 S-273 S-277 D03
  test('Generate calls and saves without a deduction by the client', async () => {
    const wallet = new FakeWallet(api, 40);
    const { person } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(button());
    expect(await screen.findByText('Communication Generated!')).toBeInTheDocument();
    expect(saved.names).toEqual(['communication.rtf']);
    expect(saved.blobs[0]?.type).toBe('application/rtf');
    expect(wallet.writes).toEqual([]);
    expect(api.callsTo(generate)[0]?.body).toEqual({
      communicationType: 'ptm',
      schoolName: '',
      senderRole: 'Class teacher',
      senderName: 'Asha',
      targetAudience: 'parents of Class 6',
      eventDate: '2026-01-15',
      purpose: 'PTM',
      keyDetails: 'At 10 in the hall.',
      tone: 'formal',
      signature: '',
      outputType: 'download',
    });
    expect(await screen.findByText('Dear parents, ...')).toBeInTheDocument();
  });

  // rows: S-274 S-276
  test('a communication is mailed, and a failed mail says so', async () => {
    new FakeWallet(api, 60);
    api.on(send, () => json({ error: 'no' }, 500));
    const { person } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(screen.getByRole('radio', { name: 'Send to my email' }));
    await person.click(button());
    expect(await screen.findByText('Email Failed')).toBeInTheDocument();
    api.on(send, () => json({ success: true }));
    await person.click(button());
    expect(await screen.findByText('Communication Sent!')).toBeInTheDocument();
    expect(api.callsTo(generate)).toHaveLength(1);
    expect(api.callsTo(send)[1]?.body).toMatchObject({ email: teacher.email, type: 'Communication' });
  });

  // rows: D08
  test('mailing a saved communication generates and charges nothing new', async () => {
    new FakeWallet(api, 60);
    const { person } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(button());
    expect(await screen.findByText('Communication Generated!')).toBeInTheDocument();
    expect(button()).toHaveAccessibleName('Generate Communication 20 credits');
    await person.click(screen.getByRole('radio', { name: 'Send to my email' }));
    expect(button()).toHaveAccessibleName('Generate Communication (no further charge)');
    await person.click(button());
    expect(await screen.findByText('Communication Sent!')).toBeInTheDocument();
    expect(api.callsTo(generate)).toHaveLength(1);
  });

  // rows: S-275
  test('a failure is shown', async () => {
    new FakeWallet(api, 60);
    api.on(generate, () => json({}, 500));
    const { person } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(button());
    expect(await screen.findByText('Generation Failed')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent(
      'Failed to generate communication. Please try again.',
    );
    api.on(generate, () => json({ code: 'NOT_FOUND' }, 404));
    await person.click(button());
    expect(await screen.findByText('This tool is not available here yet.')).toBeInTheDocument();
  });

  // rows: S-275
  test('a refused message is reported at its field until the field changes', async () => {
    new FakeWallet(api, 60);
    const error = 'A school message must not ask parents to send an OTP.';
    api.on(generate, () =>
      json(
        { success: false, error, code: 'unsafe_request', requestId: 'r', fields: { keyDetails: error } },
        422,
      ),
    );
    const { person } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(button());
    const field = await screen.findByRole('textbox', { name: 'Key details', description: /must not ask/ });
    const alert = () => screen.queryByText(/ask for papers at the office\. Nothing was charged\.$/);
    expect(alert()).toHaveAttribute('role', 'alert');
    expect(field).toHaveFocus();
    expect(field).toBeInvalid();
    expect(screen.queryByText('Generation Failed')).not.toBeInTheDocument();
    await person.type(screen.getByLabelText('Purpose or subject'), ' of May');
    await person.tab();
    expect(alert()).toBeInTheDocument();
    await person.type(field, ' Please come.');
    expect(alert()).not.toBeInTheDocument();
    expect(field).toBeValid();
  });

  // rows: S-268
  test('a session that is over leads to /auth', async () => {
    new FakeWallet(api, 40);
    api.on(generate, () => json({ error: 'Please sign in again.' }, 401));
    const { person, signOut } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(button());
    expect(await screen.findByText('Please log in to generate communications')).toBeInTheDocument();
    expect(signOut).toHaveBeenCalledOnce();
  });

  // rows: S-269 S-278 S-279 S-281 S-282
  test('too few credits lead through the purchase', async () => {
    new FakeWallet(api, 5);
    vi.spyOn(supabase.auth, 'getSession').mockResolvedValue({
      data: {
        session: {
          access_token: 't',
          refresh_token: 'r',
          expires_in: 1,
          token_type: 'bearer',
          user: { ...teacher, app_metadata: {}, user_metadata: {}, aud: '', created_at: '' },
        },
      },
      error: null,
    });
    api.on('POST /rest/v1/payment_transactions', () => new Response(null, { status: 201 }));
    const { person } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(button());
    const dialog = await screen.findByRole('dialog', { name: 'Not enough credits' });
    expect(dialog).toHaveTextContent('Required credits20Your credits5');
    expect(api.callsTo(generate)).toEqual([]);

    vi.useFakeTimers({ shouldAdvanceTime: true });
    fireEvent.click(within(dialog).getByRole('button', { name: 'Buy' }));
    expect(screen.getByText('You can confirm in 22 seconds')).toBeInTheDocument();
    act(() => {
      vi.advanceTimersByTime(21_900);
    });
    expect(screen.queryByRole('button', { name: 'I have made the payment' })).toBeNull();
    act(() => {
      vi.advanceTimersByTime(1_000);
    });
    vi.useRealTimers();
    await person.click(screen.getByRole('button', { name: 'I have made the payment' }));
    await person.click(screen.getByRole('button', { name: 'Back' }));
    expect(screen.getByText('Make UPI Payment')).toBeInTheDocument();
    vi.useFakeTimers({ shouldAdvanceTime: true });
    act(() => {
      vi.advanceTimersByTime(23_000);
    });
    vi.useRealTimers();
    await person.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  // rows: S-282 D15
  test('the phone may be left out and is stored as null', async () => {
    const { createPayment } = await import('@/features/payments/api/create-payment');
    vi.spyOn(supabase.auth, 'getSession').mockResolvedValue({
      data: {
        session: {
          access_token: 't',
          refresh_token: 'r',
          expires_in: 1,
          token_type: 'bearer',
          user: { ...teacher, app_metadata: {}, user_metadata: {}, aud: '', created_at: '' },
        },
      },
      error: null,
    });
    api.on('POST /rest/v1/payment_transactions', () => new Response(null, { status: 201 }));
    expect(await createPayment({ transactionId: 'MANUAL_1', amount: 20, phone: '' })).toBe('created');
    expect(api.callsTo('POST /rest/v1/payment_transactions')[0]?.body).toMatchObject({
      transaction_id: 'MANUAL_1',
      amount: 20,
      credits: 20,
      status: 'PENDING',
      phone_number: null,
      customer_info: null,
    });
  });
});
