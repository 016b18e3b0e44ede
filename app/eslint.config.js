import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const features = [
  'about',
  'account',
  'admin',
  'auth',
  'blog',
  'communications',
  'faqs',
  'home',
  'landing',
  'legal',
  'lessons',
  'payments',
  'previews',
  'question-papers',
  'teaching-aids',
  'wallet',
];

/** Imports go shared -> features -> app, and never from one feature to another. */
const zones = [
  ...features.map((feature) => ({
    target: `./src/features/${feature}`,
    from: './src/features',
    except: [`./${feature}`],
    message: 'A feature does not know another feature: compose them in src/app.',
  })),
  { target: './src/features', from: './src/app', message: 'Features do not know the application.' },
  {
    target: ['./src/builder', './src/components', './src/hooks', './src/lib', './src/types', './src/locales'],
    from: ['./src/features', './src/app'],
    message: 'Shared code knows neither features nor the application.',
  },
  {
    target: ['./src/components', './src/hooks', './src/lib', './src/types', './src/locales'],
    from: './src/builder',
    message: 'The parts of builders stand on the shared code, not below it.',
  },
];

const noDom = { process: 'readonly', URL: 'readonly', Buffer: 'readonly' };

export default defineConfig([
  globalIgnores(['dist', 'dist-ssr', 'test-results', 'src/types/database.gen.ts']),
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [
      tseslint.configs.strictTypeChecked,
      jsxA11y.flatConfigs.strict,
      reactHooks.configs.flat.recommended,
    ],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      'import-x/resolver-next': [createTypeScriptImportResolver({ project: './tsconfig.app.json' })],
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-cycle': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: { ...noDom, fetch: 'readonly', setTimeout: 'readonly' } },
  },
  {
    files: ['public/sw.js'],
    languageOptions: { globals: { self: 'readonly', caches: 'readonly', Response: 'readonly' } },
  },
  {
    files: ['public/*.js', 'e2e/**/*.mjs', 'e2e/provider-site/*.js'],
    languageOptions: {
      globals: {
        document: 'readonly',
        location: 'readonly',
        localStorage: 'readonly',
        matchMedia: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        window: 'readonly',
      },
    },
  },
]);
