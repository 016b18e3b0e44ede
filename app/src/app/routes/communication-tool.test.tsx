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
  test('s253_s254_header_with_back_badge_and_logout', async () => {
    new FakeWallet(api, 40);
    showRoute(<CommunicationToolRoute />);
    expect(screen.getByRole('link', { name: 'Back' })).toBeInTheDocument();
    expect(screen.getByText('...')).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: '40 credits' })).toHaveAttribute('href', '/subscription');
    expect(screen.getByRole('button', { name: 'Logout' })).toBeInTheDocument();
  });

  test('s255_back_goes_one_step_back_in_the_history', async () => {
    new FakeWallet(api, 40);
    const { person } = showRoute(<CommunicationToolRoute />, { behind: '/faqs', at: '/communication-tool' });
    await person.click(screen.getByRole('link', { name: 'Back' }));
    expect(address()).toBe('/faqs');
  });

  test('s258_s259_s260_s261_s263_its_fields_and_which_are_optional', () => {
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

  test('s426_enter_while_it_is_made_does_nothing', async () => {
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

  test('s257_s262_s264_s265_choices_and_what_is_chosen', () => {
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

  test('s266_s285_the_button_waits_for_every_field_and_a_past_day_is_allowed', () => {
    new FakeWallet(api, 40);
    showRoute(<CommunicationToolRoute />);
    expect(button()).toBeDisabled();
    fill();
    expect(button()).toBeEnabled();
    type('Key details', '  ');
    expect(button()).toBeDisabled();
  });

  test('s267_enter_in_an_incomplete_form_says_what_is_missing', async () => {
    new FakeWallet(api, 40);
    showRoute(<CommunicationToolRoute />);
    fireEvent.submit(screen.getByLabelText('Sender name'));
    expect(await screen.findByText('Please fill in all required fields')).toBeInTheDocument();
    expect(
      screen.getByText('Make sure to complete all required information before generating'),
    ).toBeInTheDocument();
    expect(api.callsTo(generate)).toEqual([]);
  });

  test('s270_s271_s272_s273_s277_d03_calls_and_saves_without_a_deduction_of_its_own', async () => {
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

  test('s274_s276_mails_it_and_a_failed_mail_says_so', async () => {
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

  test('d08_mailing_what_was_saved_makes_and_charges_nothing_new', async () => {
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

  test('s275_a_failure_is_told', async () => {
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

  test('s268_a_session_that_is_over_leads_to_sign_in', async () => {
    new FakeWallet(api, 40);
    api.on(generate, () => json({ error: 'Please sign in again.' }, 401));
    const { person, signOut } = showRoute(<CommunicationToolRoute />);
    fill();
    await person.click(button());
    expect(await screen.findByText('Please log in to generate communications')).toBeInTheDocument();
    expect(signOut).toHaveBeenCalledOnce();
  });

  test('s269_s278_s279_s281_s282_too_few_credits_lead_through_the_purchase', async () => {
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

  test('s282_d15_the_phone_may_be_left_out_and_is_stored_as_null', async () => {
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
