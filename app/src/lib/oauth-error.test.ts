import { describe, expect, test, vi } from 'vitest';
import { storeVerifier } from '@/test/store-session';
import { oauthErrorIn } from './oauth-error';
import { oauthErrorRedirect } from './oauth-error-redirect';

const at = (address: string) => oauthErrorIn(new URL(address, 'https://school.example'));

describe('the OAuth error in an address', () => {
  // rows: S-144
  test.each([
    '/home?error=access_denied&error_description=The+user+said+no',
    '/home#error=access_denied&error_description=The+user+said+no&sb=',
    '/home?error=access_denied&error_description=The+user+said+no#error=access_denied',
  ])('the address says why the sign-in was refused: %s', (address) => {
    expect(at(address)).toEqual({ code: undefined, message: 'The user said no' });
  });

  // rows: S-144
  test('the address has the code of a refusal by the server', () => {
    expect(at('/?error=invalid_request&error_code=bad_oauth_state&error_description=Late')).toEqual({
      code: 'bad_oauth_state',
      message: 'Late',
    });
  });

  // rows: S-144
  test('the address may say only that it was refused', () => {
    expect(at('/home?error=server_error')).toEqual({ code: undefined, message: undefined });
    expect(at(`/home?error=x&error_description=${'a'.repeat(900)}`)?.message).toHaveLength(300);
  });

  // rows: S-144
  test.each(['/home', '/home?buy=credits', '/faqs#error', '/home?code=abc'])(
    'the address holds no refusal: %s',
    (address) => {
      expect(at(address)).toBeNull();
    },
  );
});

describe('the redirect after an OAuth error', () => {
  const refused = new URL('https://school.example/home?error=access_denied#sb=');

  // rows: S-144
  test('the error of a sign-in that this device began leads to /auth', () => {
    storeVerifier();
    expect(oauthErrorRedirect(refused)).toBe('/auth?error=access_denied#sb=');
    expect(oauthErrorRedirect(new URL('https://school.example/home?buy=credits'))).toBeNull();
  });

  // rows: S-144
  test('the links of others lead nowhere', () => {
    expect(oauthErrorRedirect(refused)).toBeNull();
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('Denied', 'SecurityError');
    });
    expect(oauthErrorRedirect(refused)).toBeNull();
  });
});
