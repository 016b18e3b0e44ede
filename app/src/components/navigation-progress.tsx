import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { useI18n } from '@/lib/i18n';

/**
 * A screen that loads faster needs no notice. Without one, users press again after a longer wait.
 */
const showAfterMs = 150;

/**
 * Says that the next screen is loading. Until it has loaded, the current one stays, and on a slow
 * network that takes seconds (SPECIFICATION.md S-425).
 */
export function NavigationProgress() {
  const { t } = useI18n();
  const { pathname } = useLocation();
  const [pending, setPending] = useState(false);
  const [shown, setShown] = useState(pathname);
  const shownPath = useRef('');
  if (shown !== pathname) {
    setShown(pathname);
    setPending(false);
  }

  useEffect(() => {
    shownPath.current = window.location.pathname;
  }, [pathname]);

  useEffect(() => {
    let timer: number | undefined;
    function startTimer() {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        setPending(window.location.pathname !== shownPath.current);
      }, showAfterMs);
    }
    document.addEventListener('click', startTimer);
    window.addEventListener('popstate', startTimer);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('click', startTimer);
      window.removeEventListener('popstate', startTimer);
    };
  }, []);

  return (
    <div role="status" className="fixed inset-x-0 top-0 z-40">
      {pending ? (
        <p className="h-1 animate-breathe bg-primary">
          <span className="sr-only">{t('common.loading')}</span>
        </p>
      ) : null}
    </div>
  );
}
