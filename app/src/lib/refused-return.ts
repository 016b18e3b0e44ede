/** What an address says of a sign-in elsewhere that came to nothing. */
export interface Refusal {
  code: string | undefined;
  /** Of the provider, or of the server on the way back from it. */
  message: string | undefined;
}

const longestMessage = 300;

/** The refusal that an address carries, in its query or behind its `#`, as the server writes it. */
export function refusalIn({ search, hash }: { search: string; hash: string }): Refusal | null {
  const told = new URLSearchParams(`${search.slice(1)}&${hash.slice(1)}`);
  if (!told.get('error')) return null;
  return {
    code: told.get('error_code') ?? undefined,
    message: told.get('error_description')?.slice(0, longestMessage) || undefined,
  };
}
