import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { restoreLanguage } from '@/lib/i18n';
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

// Only the landing page comes ready made (scripts/prerender.mjs); every other screen starts empty.
if (window.location.pathname === '/' && root.querySelector('[data-prerendered]')) {
  hydrateRoot(root, app);
} else {
  root.replaceChildren();
  createRoot(root).render(app);
}

void restoreLanguage();
