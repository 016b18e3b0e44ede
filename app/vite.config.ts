import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { withNonBreakingNumbers } from './src/lib/non-breaking-numbers.ts';

const api = process.env.BANYAN_API_URL ?? 'http://127.0.0.1:54321';

/**
 * Modules that always load together are one file. Each separate file costs its name wherever it is
 * imported, and compression cannot use its neighbours. A group includes the imports of its modules,
 * and the first group wins.
 */
const files = [
  // The entry itself stays out, because the manifest would lose it.
  { name: 'shell', tags: ['$initial' as const], test: /^(?!.*main\.tsx)/ },
  {
    name: 'cache',
    test: /node_modules\/@tanstack|src\/(lib\/query-client|hooks\/use-load-error|.*\/api\/keys)/,
  },
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

/**
 * The build does it once. Then a text is shown as it is,
 * and its source file has no invisible characters.
 */
const nonBreakingNumbersInTexts = {
  name: 'non-breaking-numbers-in-texts',
  enforce: 'pre' as const,
  transform: { filter: { id: /\/src\/locales\/[^?]*\.json$/ }, handler: withNonBreakingNumbers },
};

export default defineConfig({
  // The product's public facts, shared with the stack. Only these prefixes reach the bundle.
  envDir: '../supabase',
  envPrefix: ['PRODUCT_', 'PUBLISHABLE_KEY'],
  plugins: [react(), tailwindcss(), nonBreakingNumbersInTexts],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    // The words of documents are in the folders of the functions that write them.
    fs: { allow: ['..'] },
    proxy: { '/rest/v1': api, '/auth/v1': api, '/functions/v1': api },
  },
  build: {
    // Chrome and Android WebView 100 (SPECIFICATION.md D36). Syntax is lowered, and OKLCH colours
    // get sRGB fallbacks.
    target: 'chrome100',
    cssTarget: 'chrome100',
    // All of these browsers support `modulepreload`.
    modulePreload: { polyfill: false },
    manifest: true,
    assetsInlineLimit: 0,
  },
  // The prerendered pages do not use these groups.
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
