/**
 * A part of the application that comes on demand. After a failure it is asked for under another address: Chromium
 * keeps a module that could not be fetched as failed for as long as the page is open. What such a part itself imports
 * is out of reach; only the page loaded anew fetches that again.
 */
export function retryableImport<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let address: string | undefined;
  let failures = 0;
  return async () => {
    try {
      return await (address ? importFrom(`${address}?again=${failures}`, load) : load());
    } catch (error) {
      failures += 1;
      address ??= failedChunkUrl(error);
      throw error;
    }
  };
}

/** The address is told by the browsers that keep a failure; the others ask again by themselves. */
export function failedChunkUrl(error: unknown): string | undefined {
  return error instanceof Error ? /https?:\/\/\S+\.js\b/.exec(error.message)?.[0] : undefined;
}

/** The same part, as `load` has it, at another address of its file. */
function importFrom<Part>(address: string, load: () => Promise<Part>): Promise<Part>;
function importFrom(address: string): Promise<unknown> {
  return import(/* @vite-ignore */ address);
}
