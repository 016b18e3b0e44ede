import { describe, expect, test } from 'vitest';
import { parseEnv } from './env';

const required = { PUBLISHABLE_KEY: 'sb_publishable_x', PRODUCT_NAME: 'Saathi' };

describe('the configuration of a build', () => {
  test('needs a key and a name, and names what is missing', () => {
    expect(() => parseEnv({ PRODUCT_NAME: '' })).toThrow(
      'supabase/.env is incomplete: PUBLISHABLE_KEY, PRODUCT_NAME',
    );
  });

  test('has empty defaults that hide their features', () => {
    expect(parseEnv(required)).toMatchObject({
      supabaseUrl: '',
      whatsappNumber: '',
      upiPayeeAddress: '',
      upiPayeeName: 'Saathi',
    });
  });

  test('keeps only the digits of the WhatsApp number', () => {
    expect(parseEnv({ ...required, PRODUCT_WHATSAPP: '+91 98765-43210' }).whatsappNumber).toBe(
      '919876543210',
    );
  });
});
