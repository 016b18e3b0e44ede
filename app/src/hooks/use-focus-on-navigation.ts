import { useEffect, type RefObject } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';

/**
 * Scrolls to the top and moves the focus to the content after a link was followed. After Back, and
 * for an address with a fragment, the browser does both.
 */
export function useFocusOnNavigation(content: RefObject<HTMLElement | null>): void {
  const { pathname, hash } = useLocation();
  const way = useNavigationType();
  useEffect(() => {
    if (way === NavigationType.Pop || hash !== '') return;
    window.scrollTo(0, 0);
    content.current?.focus({ preventScroll: true });
  }, [content, pathname, hash, way]);
}
