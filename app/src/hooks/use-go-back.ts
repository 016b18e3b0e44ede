import type { MouseEvent } from 'react';
import { useLocation, useNavigate } from 'react-router';

/**
 * Returns a click handler that goes one step back if the visitor came from a page of this site.
 * Otherwise it goes to `fallback` (SPECIFICATION.md S-089).
 */
export function useGoBack(fallback: string): (event: MouseEvent) => void {
  const navigate = useNavigate();
  // The first entry of the history has this key. Behind it is another site, or nothing.
  const arrivedHere = useLocation().key === 'default';
  return (event) => {
    event.preventDefault();
    void (arrivedHere ? navigate(fallback) : navigate(-1));
  };
}
