import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { withNonBreakingNumbers } from './src/lib/non-breaking-numbers.ts';

const api = process.env.BANYAN_API_URL ?? 'http://127.0.0.1:54321';

/**
 * What is always loaded together is one file: each file of its own costs its name wherever it is asked for, and what
 * compression cannot learn from its neighbours. A group takes what its modules import with it; the first one wins.
 */
const files = [
  // The entry itself stays out: the manifest would lose it.
  { name: 'shell', tags: ['$initial' as const], test: /^(?!.*main\.tsx)/ },
  { name: 'cache', test: /node_modules\/@tanstack|src\/(lib\/query-client|hooks\/use-load-error)/ },
  {
    name: 'controls',
    test: /src\/components\/(ui\/(field|select|input|card)|lazy-dialog|local-error-boundary)\.tsx/,
  },
  { name: 'supabase', test: /src\/lib\/supabase/ },
  {
    name: 'account',
    test: /src\/(features\/(auth\/session-provider|wallet\/use-wallet)|components\/connection-problem-bar)/,
  },
];

/** Done once, by the build: a text is then shown as it stands, and its file has no characters that nobody sees. */
const nonBreakingNumbersInTexts = {
  name: 'non-breaking-numbers-in-texts',
  enforce: 'pre' as const,
  transform: { filter: { id: /\/src\/locales\/[^?]*\.json$/ }, handler: withNonBreakingNumbers },
};

export default defineConfig({
  // The product's public facts, shared with the stack; only these prefixes reach the bundle.
  envDir: '../supabase',
  envPrefix: ['PRODUCT_', 'PUBLISHABLE_KEY'],
  plugins: [react(), tailwindcss(), nonBreakingNumbersInTexts],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    // The words of documents live with the functions that write them.
    fs: { allow: ['..'] },
    proxy: { '/rest/v1': api, '/auth/v1': api, '/functions/v1': api },
  },
  build: {
    // Chrome and Android WebView 100 (SPECIFICATION.md D36): syntax is lowered and OKLCH colours get sRGB
    // fallbacks.
    target: 'chrome100',
    cssTarget: 'chrome100',
    // All of them know `modulepreload`.
    modulePreload: { polyfill: false },
    manifest: true,
    assetsInlineLimit: 0,
  },
  // The pages made ready during the build know nothing of them.
  environments: { client: { build: { rolldownOptions: { output: { codeSplitting: { groups: files } } } } } },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['./src/test/setup.ts'],
    globals: true,
    restoreMocks: true,
    env: {
      TZ: 'Asia/Kolkata',
      PRODUCT_API_URL: 'http://127.0.0.1:9',
      PUBLISHABLE_KEY: 'sb_publishable_test',
      PRODUCT_NAME: 'Shikshak Saathi',
      PRODUCT_SUPPORT_EMAIL: 'help@school.example',
      PRODUCT_SUPPORT_PHONE: '+91 98765 43210',
      PRODUCT_WHATSAPP: '919876543210',
      PRODUCT_INSTAGRAM: 'https://www.instagram.com/school.example',
      PRODUCT_UPI_ID: 'saathi@upi.example',
      PRODUCT_UPI_PAYEE: 'Shikshak Saathi',
      PRODUCT_BLOG_ADMIN: 'editor@school.example',
    },
  },
});
