import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';
import { loadTexts } from '@/lib/i18n';
import { clearToast } from '@/lib/toast';

// The texts that a route loads before it shows a screen.
await loadTexts([
  'account',
  'admin',
  'aids',
  'auth',
  'blog',
  'builder',
  'communications',
  'landing',
  'lessons',
  'pages',
  'papers',
  'payments',
  'previews',
  'settings',
  'tools',
  'updates',
]);

// Screens load when they are first shown, which takes a while on a busy machine.
configure({ asyncUtilTimeout: 5_000 });

// Layout functions that jsdom does not have.
Element.prototype.scrollIntoView = () => undefined;
window.ResizeObserver = class {
  observe = () => undefined;
  unobserve = () => undefined;
  disconnect = () => undefined;
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  clearToast();
  sessionStorage.clear();
  localStorage.clear();
});
