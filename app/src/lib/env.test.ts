import { describe, expect, test } from 'vitest';
import { parseEnv } from './env';

const required = { PUBLISHABLE_KEY: 'sb_publishable_x', PRODUCT_NAME: 'Saathi' };

describe('the configuration of a build', () => {
  test('the configuration needs a key and a name, and names what is missing', () => {
    expect(() => parseEnv({ PRODUCT_NAME: '' })).toThrow(
      'supabase/.env is incomplete: PUBLISHABLE_KEY, PRODUCT_NAME',
    );
  });

  test('empty defaults hide their features', () => {
    expect(parseEnv(required)).toMatchObject({
      supabaseUrl: '',
      whatsappNumber: '',
      upiPayeeAddress: '',
      upiPayeeName: 'Saathi',
    });
  });

  test('the WhatsApp number keeps only its digits', () => {
    expect(parseEnv({ ...required, PRODUCT_WHATSAPP: '+91 98765-43210' }).whatsappNumber).toBe(
      '919876543210',
    );
  });
});
