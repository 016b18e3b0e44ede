import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { useI18n } from '@/lib/i18n';

/** A screen that is here sooner comes without a word; a press that shows nothing for longer is pressed again. */
const patienceMs = 150;

/**
 * Says that the screen whose link was pressed is on its way: until it is here, the one before stays, and on a slow
 * network that takes seconds (SPECIFICATION.md S-425).
 */
export function ArrivingBar() {
  const { t } = useI18n();
  const { pathname } = useLocation();
  const [arriving, setArriving] = useState(false);
  const [shown, setShown] = useState(pathname);
  const here = useRef('');
  if (shown !== pathname) {
    setShown(pathname);
    setArriving(false);
  }

  useEffect(() => {
    here.current = window.location.pathname;
  }, [pathname]);

  useEffect(() => {
    let timer: number | undefined;
    function look() {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        setArriving(window.location.pathname !== here.current);
      }, patienceMs);
    }
    document.addEventListener('click', look);
    window.addEventListener('popstate', look);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('click', look);
      window.removeEventListener('popstate', look);
    };
  }, []);

  return (
    <div role="status" className="fixed inset-x-0 top-0 z-40">
      {arriving ? (
        <p className="h-1 animate-breathe bg-primary">
          <span className="sr-only">{t('common.loading')}</span>
        </p>
      ) : null}
    </div>
  );
}
