import '@testing-library/jest-dom/vitest';
import { cleanup } from '@testing-library/react';
import { afterEach, vi } from 'vitest';
import { currentToast, dismissToast } from '@/lib/toast';

// Layout that jsdom does not have.
Element.prototype.scrollIntoView = () => undefined;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  const toast = currentToast();
  if (toast) dismissToast(toast.id);
  sessionStorage.clear();
  localStorage.clear();
});
