const usualLimit = 20_000;

/**
 * A generation may take two minutes, and a lost one is asked for again with its key; a file of 5 MB takes as long on 400
 * kbit/s, and a document is read whole from its row (SPECIFICATION.md D34). Milliseconds.
 */
const longLimit = 130_000;
const longPaths = ['/functions/v1/', '/storage/v1/', '/rest/v1/generations'];

/**
 * A call that ends: a network may swallow packets without a word, and the client waits for an answer for ever. The answer
 * is given with its whole body, which may stop as well.
 */
export const fetchWithTimeout: typeof fetch = async (input, init) => {
  const aborter = new AbortController();
  const abort = () => {
    aborter.abort();
  };
  const timer = setTimeout(abort, limitOf(input instanceof Request ? input.url : String(input)));
  init?.signal?.addEventListener('abort', abort);
  if (init?.signal?.aborted) abort();
  try {
    return await whole(await fetch(input, { ...init, signal: aborter.signal }));
  } finally {
    clearTimeout(timer);
    init?.signal?.removeEventListener('abort', abort);
  }
};

function limitOf(url: string): number {
  return longPaths.some((path) => url.includes(path)) ? longLimit : usualLimit;
}

async function whole(answer: Response): Promise<Response> {
  // A redirect that is not followed has nothing in it, and cannot be made by hand.
  if (answer.type === 'opaqueredirect') return answer;
  const body = await answer.arrayBuffer();
  // Browsers give an answer of 204 an empty body, and refuse to make one that has it.
  return new Response(body.byteLength ? body : null, answer);
}
