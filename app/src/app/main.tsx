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

// A refusal on the way back from a provider is told where one signs in, wherever the server has led with it.
const refused = oauthErrorRedirect(window.location);
if (refused !== null) window.history.replaceState(null, '', refused);

// Public pages come ready made (scripts/prerender.mjs) and say which they are; every other screen starts empty. As a
// transition the first rendering pauses every few milliseconds, so that a slow phone answers taps meanwhile.
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

// Opens without a network from the second visit on; what is kept and when it is renewed stands in public/sw.js.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => {
    void navigator.serviceWorker.register('/sw.js').catch(() => undefined);
  });
}
