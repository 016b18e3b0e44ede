/**
 * Makes a dynamic import that can be repeated. After a failure it uses another address, because
 * Chromium treats a failed module as failed while the page is open. Imports inside the module are
 * out of reach. Only a reload fetches those again.
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

/**
 * Browsers that remember a failure name the address in
 * the error. The others load it again by themselves.
 */
export function failedChunkUrl(error: unknown): string | undefined {
  return error instanceof Error ? /https?:\/\/\S+\.js\b/.exec(error.message)?.[0] : undefined;
}

/** Imports the same module as `load`, from another address of its file. */
function importFrom<Part>(address: string, load: () => Promise<Part>): Promise<Part>;
function importFrom(address: string): Promise<unknown> {
  return import(/* @vite-ignore */ address);
}
