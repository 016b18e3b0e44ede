import { vi } from 'vitest';

export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Headers;
}

type Handler = (call: Call) => Response | Promise<Response>;

/** A fake API at the level of HTTP. It answers by method and path, and records the calls. */
export class FakeApi {
  readonly calls: Call[] = [];
  private readonly handlers = new Map<string, Handler>();

  constructor() {
    vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) =>
      this.answer(new Request(input, init)),
    );
  }

  on(methodAndPath: string, handler: Handler): this {
    this.handlers.set(methodAndPath, handler);
    return this;
  }

  callsTo(methodAndPath: string): Call[] {
    return this.calls.filter((call) => `${call.method} ${call.path}` === methodAndPath);
  }

  private async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const text = await request.text();
    const call: Call = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      body: text === '' ? undefined : JSON.parse(text),
      headers: request.headers,
    };
    this.calls.push(call);
    const handler = this.handlers.get(`${call.method} ${call.path}`);
    if (!handler) return json({ message: `no handler for ${call.method} ${call.path}` }, 404);
    // Each caller reads its own body.
    return (await handler(call)).clone();
  }
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
}

/** An answer that comes when `give` is called. Later requests get it, too. */
export function deferredResponse(): { answer: Promise<Response>; give: (response: Response) => void } {
  let give: (response: Response) => void = () => undefined;
  const answer = new Promise<Response>((resolve) => {
    give = resolve;
  });
  return { answer, give };
}

/** Fails as fetch does without a network. */
export function noNetwork(): never {
  throw new TypeError('Failed to fetch');
}

/**
 * The wallet of one user, as the REST interface shows
 * it. `coins` is null while there is no profile.
 */
export class FakeWallet {
  coins: number | null;
  readonly writes: number[] = [];
  private readonly closed: number | undefined;

  /** `closed`: the coins of an earlier profile. */
  constructor(api: FakeApi, coins: number | null, closed?: number) {
    this.coins = coins;
    this.closed = closed;
    api.on('GET /rest/v1/credit_ledger', () =>
      json([{ reason: closed === undefined ? 'opening' : 'reopening' }]),
    );
    api.on('GET /rest/v1/profiles', () => json(this.rows()));
    api.on('POST /rest/v1/profiles', (call) => this.insert(call));
    api.on('PATCH /rest/v1/profiles', (call) => this.update(call));
  }

  private rows(): unknown[] {
    return this.coins === null ? [] : [{ coins: this.coins }];
  }

  private insert(call: Call): Response {
    if (this.coins !== null) return json({ code: '23505', message: 'duplicate key' }, 409);
    this.coins = this.closed ?? coinsOf(call.body);
    return json(this.rows()[0], 201);
  }

  private update(call: Call): Response {
    if (call.query.get('coins') !== `eq.${String(this.coins)}`) return json([]);
    this.coins = coinsOf(call.body);
    this.writes.push(this.coins);
    return json(this.rows());
  }
}

function coinsOf(body: unknown): number {
  if (typeof body === 'object' && body !== null && 'coins' in body && typeof body.coins === 'number')
    return body.coins;
  throw new Error('the body has no coins');
}
