import { describe, expect, test } from 'vitest';
import { parseEnv } from './env';

const required = { VITE_SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_x', VITE_PRODUCT_NAME: 'Saathi' };

describe('the configuration of a build', () => {
  test('needs a key and a name, and names what is missing', () => {
    expect(() => parseEnv({ VITE_PRODUCT_NAME: '' })).toThrow(
      'app/.env is incomplete: VITE_SUPABASE_PUBLISHABLE_KEY, VITE_PRODUCT_NAME',
    );
  });

  test('has empty defaults that hide their features', () => {
    expect(parseEnv(required)).toMatchObject({
      supabaseUrl: '',
      whatsappNumber: '',
      upiPayeeAddress: '',
      upiPayeeName: 'Saathi',
      googleEnabled: false,
    });
  });

  test('keeps only the digits of the WhatsApp number', () => {
    expect(parseEnv({ ...required, VITE_WHATSAPP_NUMBER: '+91 98765-43210' }).whatsappNumber).toBe(
      '919876543210',
    );
  });
});
