import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeApi, FakeWallet, deferredResponse, json, noNetwork } from '@/test/fake-api';
import {
  answer,
  download,
  generationsOf,
  mail,
  plansAreMade,
  send,
  show,
  start,
} from '@/test/lesson-plan-screen';

let api: FakeApi;
let saved: string[];

const generations = () => generationsOf(api);

beforeEach(() => {
  ({ api, saved } = plansAreMade());
});

describe('mailing a lesson plan', { timeout: 20_000 }, () => {
  test('s199_s390_mails_a_new_plan_and_s201_a_failed_mail_is_not_charged_again', async () => {
    const wallet = new FakeWallet(api, 60);
    api.on(send, () => json({ error: 'no such function' }, 404));
    const person = show();
    await start(person);
    await person.click(mail());
    expect(await screen.findByText('Email Failed')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent(
      'generated but failed to send email; please try downloading instead',
    );
    await person.click(screen.getByRole('button', { name: 'Download again' }));
    expect(saved).toEqual(['plan.rtf']);

    api.on(send, () => json({ success: true }));
    await person.click(mail());
    expect(await screen.findByText('Lesson Plans Sent!')).toBeInTheDocument();
    expect(wallet.writes).toEqual([40]);
    expect(generations()).toHaveLength(1);
    expect(api.callsTo(send)[1]?.body).toEqual({
      email: 'asha@school.example',
      content: 'LESSON PLAN: Electricity',
      filename: 'plan.rtf',
      type: 'Lesson Plan',
      documentContent: answer.docContent,
    });
  });

  test('s390_s391_the_address_that_a_plan_was_mailed_to_stands_beside_it', async () => {
    new FakeWallet(api, 20);
    const held = deferredResponse();
    api.on(send, () => held.answer);
    const person = show();
    await start(person);
    await person.click(mail());
    expect(await screen.findByRole('button', { name: /^Sending\.\.\./ })).toBeDisabled();
    expect(download()).toBeDisabled();
    held.give(json({ success: true }));
    expect(await screen.findByText('Sent to asha@school.example')).toBeInTheDocument();
    await waitFor(() => {
      expect(mail()).toBeEnabled();
    });
  });

  test('s201_s422_a_refused_mail_says_why_and_when_the_next_can_go', async () => {
    const wallet = new FakeWallet(api, 60);
    const refusal = { error: 'Too many requests. Please wait a little.', code: 'rate_limited' };
    const headers = { 'Content-Type': 'application/json', 'Retry-After': '125' };
    api.on(send, () => new Response(JSON.stringify(refusal), { status: 429, headers }));
    const person = show();
    await start(person);
    await person.click(mail());
    const why = 'Too many requests. Please wait a little. The next mail can go in 3 minutes.';
    expect(await screen.findByText(`Not sent by email. ${why}`)).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent(
      `generated but failed to send email; please try downloading instead. ${why}`,
    );
    await person.click(download());
    expect(saved).toEqual(['plan.rtf']);
    expect(wallet.writes).toEqual([40]);
  });

  test('s201_s423_a_mail_without_a_network_says_so_and_can_be_sent_again', async () => {
    const wallet = new FakeWallet(api, 60);
    api.on(send, () => noNetwork());
    const person = show();
    await start(person);
    await person.click(mail());
    expect(await screen.findByText('Not sent by email. The connection was lost.')).toBeInTheDocument();
    api.on(send, () => json({ success: true }));
    await person.click(mail());
    expect(await screen.findByText('Sent to asha@school.example')).toBeInTheDocument();
    expect(screen.queryByText(/^Not sent by email/)).toBeNull();
    expect(wallet.writes).toEqual([40]);
  });

  test('s202_a_mail_after_the_session_is_over_leads_to_sign_in', async () => {
    new FakeWallet(api, 60);
    api.on(send, () => json({ error: 'Please sign in to continue.', code: 'unauthenticated' }, 401));
    const signOut = vi.fn(() => Promise.resolve());
    const person = show(signOut);
    await start(person);
    await person.click(mail());
    expect(await screen.findByText('Email Failed')).toBeInTheDocument();
    expect(signOut).toHaveBeenCalledOnce();
  });
});
