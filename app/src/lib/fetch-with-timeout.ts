const defaultTimeoutMs = 20_000;

/**
 * A generation may take two minutes, and a lost one is called again with
 * its key. A document is read whole from its row, which takes long at
 * 400 kbit/s (SPECIFICATION.md D34). Milliseconds.
 */
const longTimeoutMs = 130_000;
const longPaths = ['/functions/v1/', '/storage/v1/', '/rest/v1/generations'];

/**
 * A fetch that always ends. A network may drop packets silently, and the client would wait for
 * ever. The answer comes with its whole body, because the body may stop as well.
 */
export const fetchWithTimeout: typeof fetch = async (input, init) => {
  const aborter = new AbortController();
  const abort = () => {
    aborter.abort();
  };
  const timer = setTimeout(abort, timeoutOf(input instanceof Request ? input.url : String(input)));
  init?.signal?.addEventListener('abort', abort);
  if (init?.signal?.aborted) abort();
  try {
    return await withWholeBody(await fetch(input, { ...init, signal: aborter.signal }));
  } finally {
    clearTimeout(timer);
    init?.signal?.removeEventListener('abort', abort);
  }
};

function timeoutOf(url: string): number {
  return longPaths.some((path) => url.includes(path)) ? longTimeoutMs : defaultTimeoutMs;
}

async function withWholeBody(answer: Response): Promise<Response> {
  // A redirect that is not followed has no body, and cannot be constructed.
  if (answer.type === 'opaqueredirect') return answer;
  const body = await answer.arrayBuffer();
  // Browsers give a 204 answer an empty body, but refuse to construct one with it.
  return new Response(body.byteLength ? body : null, answer);
}
