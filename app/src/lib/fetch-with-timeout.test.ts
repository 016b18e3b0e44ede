import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fetchWithTimeout } from './fetch-with-timeout';
import { readFunctionError } from './function-error';
import { supabase } from './supabase';

/** A network that drops every packet. */
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', (_: unknown, init?: RequestInit) => silence(init?.signal));
});

function silence(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => {
      reject(new DOMException('The operation was aborted.', 'AbortError'));
    });
  });
}

/** The result of a call after each of these times, in seconds, or undefined while it waits. */
async function after<Value>(call: PromiseLike<Value>, ...seconds: number[]) {
  let outcome: Value | undefined;
  void call.then((value) => {
    outcome = value;
  });
  const outcomes = [];
  let now = 0;
  for (const second of seconds) {
    await vi.advanceTimersByTimeAsync((second - now) * 1_000);
    now = second;
    outcomes.push(outcome);
  }
  return outcomes;
}

describe('a call that gets no answer', () => {
  // rows: S-427
  test('a call without an answer ends as a lost connection', async () => {
    const write = supabase.from('profiles').update({ coins: 20 }).eq('user_id', 'me').eq('coins', 40);
    const [waiting, ended] = await after(write, 19, 21);
    expect(waiting).toBeUndefined();
    expect(ended?.status).toBe(0);
  });

  // rows: S-427
  test('a call has the time that a generation takes', async () => {
    const call = supabase.functions.invoke<unknown>('generate-lesson-plan', { body: {} });
    const [waiting, ended] = await after(call, 129, 131);
    expect(waiting).toBeUndefined();
    expect(await readFunctionError(ended?.error)).toEqual({ kind: 'unreachable' });
  });

  // rows: D34
  test.each([
    ['a_document_that_was_made_before', () => supabase.from('generations').select('result').eq('id', 'x')],
    ['a_file_to_be_stored', () => supabase.storage.from('samples').upload('plan.pdf', new Blob(['x']))],
  ])('%s has the time that it takes on a slow network', async (_, ask) => {
    const [waiting, ended] = await after<{ error: unknown }>(ask(), 129, 131);
    expect(waiting).toBeUndefined();
    expect(ended?.error).toBeTruthy();
  });

  // rows: S-194
  test('a call ends when its caller ends it', async () => {
    const { signal, abort } = aborterOf();
    const call = supabase.functions.invoke<unknown>('generate-lesson-plan', { body: {}, signal });
    setTimeout(abort, 5_000);
    const [waiting, ended] = await after(call, 4, 6);
    expect(waiting).toBeUndefined();
    expect(await readFunctionError(ended?.error)).toEqual({ kind: 'unreachable' });
  });

  // rows: S-427
  test('an answer that stops in its middle is no answer', async () => {
    vi.stubGlobal('fetch', (_: unknown, init?: RequestInit) => {
      const response = new Response('{}', { headers: { 'Content-Type': 'application/json' } });
      vi.spyOn(response, 'arrayBuffer').mockReturnValue(silence(init?.signal));
      return Promise.resolve(response);
    });
    const call = supabase.functions.invoke<unknown>('generate-lesson-plan', { body: {} });
    const [ended] = await after(call, 131);
    expect(await readFunctionError(ended?.error)).toEqual({ kind: 'unreachable' });
  });
});

describe('a call that is over', () => {
  test('a finished call leaves no listener behind', async () => {
    const answers = vi.fn<typeof fetch>(() => Promise.resolve(new Response('{"a":1}')));
    vi.stubGlobal('fetch', answers);
    const { signal, abort } = aborterOf();
    const answer = await fetchWithTimeout('/rest/v1/profiles', { signal });
    expect(vi.getTimerCount()).toBe(0);
    abort();
    expect(answers.mock.calls[0]?.[1]?.signal?.aborted).toBe(false);
    expect(await answer.json()).toEqual({ a: 1 });
  });

  test('a finished call has the answer of the server', async () => {
    const headers = { 'Content-Range': '0-0/7', 'Content-Type': 'application/json' };
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('[{}]', { status: 206, headers })));
    const answer = await fetchWithTimeout('/rest/v1/profiles');
    expect([answer.status, answer.headers.get('Content-Range'), await answer.text()]).toEqual([
      206,
      '0-0/7',
      '[{}]',
    ]);
  });

  test('an answer without a body works where browsers show an empty body', async () => {
    const answered = new Response(null, { status: 204 });
    vi.spyOn(answered, 'body', 'get').mockReturnValue(new ReadableStream());
    vi.stubGlobal('fetch', () => Promise.resolve(answered));
    const answer = await fetchWithTimeout('/rest/v1/profiles');
    expect([answer.status, await answer.text()]).toEqual([204, '']);
  });

  test('a lost call leaves no listener behind', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(fetchWithTimeout('/rest/v1/profiles')).rejects.toThrow('Failed to fetch');
    expect(vi.getTimerCount()).toBe(0);
  });
});

function aborterOf() {
  const aborter = new AbortController();
  return {
    signal: aborter.signal,
    abort: () => {
      aborter.abort();
    },
  };
}

// rows: S-144
test('a redirect that is not followed is passed on as it is', async () => {
  const redirect = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
  vi.stubGlobal('fetch', () => Promise.resolve(redirect));
  expect(await fetchWithTimeout('/auth/v1/authorize', { redirect: 'manual' })).toBe(redirect);
});
