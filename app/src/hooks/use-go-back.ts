import type { MouseEvent } from 'react';
import { useLocation, useNavigate } from 'react-router';

/**
 * Makes a link that leads to `fallback` go one step back instead, where the visitor came from a page of this site
 * (SPECIFICATION.md S-089).
 */
export function useGoBack(fallback: string): (event: MouseEvent) => void {
  const navigate = useNavigate();
  // The first entry of the history has this key: behind it lies another site, or nothing.
  const arrivedHere = useLocation().key === 'default';
  return (event) => {
    event.preventDefault();
    void (arrivedHere ? navigate(fallback) : navigate(-1));
  };
}
