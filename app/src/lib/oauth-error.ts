/** What an address says of a sign-in elsewhere that came to nothing. */
export interface OAuthError {
  code: string | undefined;
  /** Of the provider, or of the server on the way back from it. */
  message: string | undefined;
}

const longestMessage = 300;

/** The refusal that an address carries, in its query or behind its `#`, as the server writes it. */
export function oauthErrorIn({ search, hash }: { search: string; hash: string }): OAuthError | null {
  const parameters = new URLSearchParams(`${search.slice(1)}&${hash.slice(1)}`);
  if (!parameters.get('error')) return null;
  return {
    code: parameters.get('error_code') ?? undefined,
    message: parameters.get('error_description')?.slice(0, longestMessage) || undefined,
  };
}
