import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const api = process.env.BANYAN_API_URL ?? 'http://127.0.0.1:54321';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    // The words of documents live with the functions that write them.
    fs: { allow: ['..'] },
    proxy: { '/rest/v1': api, '/auth/v1': api, '/functions/v1': api },
  },
  build: {
    // Chrome and Android WebView 100 (decisions.md D36): syntax is lowered and OKLCH colours get sRGB fallbacks.
    target: 'chrome100',
    cssTarget: 'chrome100',
    manifest: true,
    assetsInlineLimit: 0,
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['./src/test/setup.ts'],
    globals: true,
    restoreMocks: true,
    env: {
      TZ: 'Asia/Kolkata',
      VITE_SUPABASE_URL: 'http://127.0.0.1:9',
      VITE_SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_test',
      VITE_PRODUCT_NAME: 'Shikshak Saathi',
      VITE_SUPPORT_EMAIL: 'help@school.example',
      VITE_SUPPORT_PHONE: '+91 98765 43210',
      VITE_WHATSAPP_NUMBER: '919876543210',
      VITE_INSTAGRAM_URL: 'https://www.instagram.com/school.example',
      VITE_UPI_PAYEE_ADDRESS: 'saathi@upi.example',
      VITE_UPI_PAYEE_NAME: 'Shikshak Saathi',
      VITE_BLOG_ADMIN_EMAIL: 'editor@school.example',
      VITE_GOOGLE_ENABLED: 'true',
    },
  },
});
