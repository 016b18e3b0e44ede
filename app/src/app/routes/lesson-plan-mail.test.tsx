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
  // rows: S-199 S-390 S-201
  test('a new plan is mailed, and a failed mail is not charged again', async () => {
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

  // rows: S-390 S-391
  test('the address that received a plan stands beside it', async () => {
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

  // rows: S-201 S-422
  test('a refused mail says why and when the next one can go', async () => {
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

  // rows: S-201 S-423
  test('a mail without a network says so and can be sent again', async () => {
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

  // rows: S-202
  test('a mail after the end of the session leads to /auth', async () => {
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
