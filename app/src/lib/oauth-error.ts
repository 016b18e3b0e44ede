/** The error in an address after a sign-in with a provider. */
export interface OAuthError {
  code: string | undefined;
  /** The message of the provider, or of the server on the way back from it. */
  message: string | undefined;
}

const longestMessage = 300;

/** Reads the error in the query or the fragment of an address, as the server writes it. */
export function oauthErrorIn({ search, hash }: { search: string; hash: string }): OAuthError | null {
  const parameters = new URLSearchParams(`${search.slice(1)}&${hash.slice(1)}`);
  if (!parameters.get('error')) return null;
  return {
    code: parameters.get('error_code') ?? undefined,
    message: parameters.get('error_description')?.slice(0, longestMessage) || undefined,
  };
}
