import { useEffect, type RefObject } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';

/**
 * Begins a page that was reached by a link at its top, with the keyboard and the screen reader on its content.
 * Going back leaves both to the browser, and so does an address with a place in the page.
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
