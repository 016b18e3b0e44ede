import { describe, expect, test, vi } from 'vitest';
import { storeVerifier } from '@/test/store-session';
import { oauthErrorIn } from './oauth-error';
import { oauthErrorRedirect } from './oauth-error-redirect';

const at = (address: string) => oauthErrorIn(new URL(address, 'https://school.example'));

describe('an address after a sign-in elsewhere', () => {
  test.each([
    '/home?error=access_denied&error_description=The+user+said+no',
    '/home#error=access_denied&error_description=The+user+said+no&sb=',
    '/home?error=access_denied&error_description=The+user+said+no#error=access_denied',
  ])('s144_says_why_it_was_refused: %s', (address) => {
    expect(at(address)).toEqual({ code: undefined, message: 'The user said no' });
  });

  test('s144_has_the_code_of_the_servers_own_refusal', () => {
    expect(at('/?error=invalid_request&error_code=bad_oauth_state&error_description=Late')).toEqual({
      code: 'bad_oauth_state',
      message: 'Late',
    });
  });

  test('s144_may_say_nothing_but_that', () => {
    expect(at('/home?error=server_error')).toEqual({ code: undefined, message: undefined });
    expect(at(`/home?error=x&error_description=${'a'.repeat(900)}`)?.message).toHaveLength(300);
  });

  test.each(['/home', '/home?buy=credits', '/faqs#error', '/home?code=abc'])(
    's144_is_no_refusal: %s',
    (address) => {
      expect(at(address)).toBeNull();
    },
  );
});

describe('where a refusal is told', () => {
  const refused = new URL('https://school.example/home?error=access_denied#sb=');

  test('s144_is_where_one_signs_in_after_a_sign_in_that_this_device_began', () => {
    storeVerifier();
    expect(oauthErrorRedirect(refused)).toBe('/auth?error=access_denied#sb=');
    expect(oauthErrorRedirect(new URL('https://school.example/home?buy=credits'))).toBeNull();
  });

  test('s144_is_nowhere_for_the_links_of_others', () => {
    expect(oauthErrorRedirect(refused)).toBeNull();
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('Denied', 'SecurityError');
    });
    expect(oauthErrorRedirect(refused)).toBeNull();
  });
});
