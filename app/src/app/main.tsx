import { startTransition, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { restoreLanguage } from '@/lib/i18n';
import { followTheme } from '@/lib/theme';
import { oauthErrorRedirect } from '@/lib/oauth-error-redirect';
import '@/index.css';
import { App } from './app';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const app = (
  <StrictMode>
    <BrowserRouter>
      <App />
    </BrowserRouter>
  </StrictMode>
);

// An OAuth error is shown on /auth, wherever the server has sent it.
const refused = oauthErrorRedirect(window.location);
if (refused !== null) window.history.replaceState(null, '', refused);

// Public pages are prerendered (scripts/prerender.mjs) and name their path. Every other screen
// starts empty. A transition lets the first rendering pause every few milliseconds, so that a slow
// phone answers taps meanwhile.
if (root.dataset.page === window.location.pathname) {
  startTransition(() => {
    hydrateRoot(root, app);
  });
} else {
  root.replaceChildren();
  startTransition(() => {
    createRoot(root).render(app);
  });
  void restoreLanguage();
}

followTheme();

// The application opens without a network from the
// second visit on. public/sw.js says what is stored.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => {
    void navigator.serviceWorker.register('/sw.js').catch(() => undefined);
  });
}
