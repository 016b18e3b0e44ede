import { beforeEach, describe, expect, test } from 'vitest';
import { communicationTool } from '@/features/communications/communication-tool';
import { FakeApi, json } from '@/test/fake-api';
import { storeSession } from '@/test/store-session';
import { callFunction } from '@/builder/api/call-function';
import { cancelGeneration } from '@/builder/api/cancel-generation';
import { sendDocument } from '@/builder/api/send-document';

const asha = { id: 'asha', email: 'asha@school.example' };
const bina = { id: 'bina', email: 'bina@school.example' };
const document = {
  file: { content: 'e30=', encoding: 'base64' as const, type: 'application/rtf' },
  text: '',
  filename: 'letter.rtf',
  content: null,
  warnings: [],
};

let api: FakeApi;

beforeEach(() => {
  api = new FakeApi()
    .on('POST /functions/v1/generate-communication', () =>
      json({ documentContent: btoa('{}'), meta: { language: 'hi' } }),
    )
    .on('POST /functions/v1/send-generated-content', () => json({ success: true }))
    .on('POST /rest/v1/rpc/cancel_generation', () => json(true));
});

function ask() {
  const question = { userId: asha.id, request: {}, key: 'k', signal: new AbortController().signal };
  return callFunction(communicationTool, question);
}

describe('a call in the name of a user', () => {
  // rows: S-390
  test('a call carries the token of its user', async () => {
    storeSession(asha);
    expect(await ask()).toMatchObject({ kind: 'done', document: { language: 'hi' } });
    expect(await sendDocument(communicationTool, asha, document)).toEqual({ kind: 'sent' });
    expect(await cancelGeneration(asha.id, 'k')).toBe(true);
    const tokens = api.calls.map(({ headers }) => headers.get('Authorization'));
    expect(tokens).toEqual(['Bearer token', 'Bearer token', 'Bearer token']);
  });

  // rows: S-391
  test.each([[bina], [null]])('a call does not carry the token of %j', async (user) => {
    if (user) storeSession(user);
    expect(await ask()).toEqual({ kind: 'unreachable' });
    expect(await sendDocument(communicationTool, asha, document)).toEqual({ kind: 'unreachable' });
    expect(await cancelGeneration(asha.id, 'k')).toBe(false);
    expect(api.calls).toEqual([]);
  });
});
