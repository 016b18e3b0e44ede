import { expect, test } from 'vitest';
import { FakeApi, deferredResponse, json } from './fake-api';

test('everybody who asked before and after reads a deferred answer', async () => {
  const held = deferredResponse();
  new FakeApi().on('GET /rest/v1/profiles', () => held.answer);
  const ask = async (): Promise<unknown> => (await fetch('http://api.example/rest/v1/profiles')).json();
  const first = ask();
  held.give(json([{ coins: 20 }]));
  expect(await Promise.all([first, ask()])).toEqual([[{ coins: 20 }], [{ coins: 20 }]]);
});
