import { useEffect, useRef, useState } from 'react';
import { cn } from '@/lib/utils';

interface Matrix {
  size: number;
  path: string;
}

interface QrCodeProps {
  value: string;
  label: string;
  /** The text if the code fails to load. */
  fallback?: string;
  className?: string;
}

/**
 * A QR code that is drawn once it is nearly visible. It is dark on white in both themes, with a
 * quiet zone of 4 modules.
 */
export function QrCode({ value, label, fallback, className }: QrCodeProps) {
  const [matrix, setMatrix] = useState<Matrix | null>();
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let wanted = true;
    const show = (drawn: Matrix | null) => {
      if (wanted) setMatrix(drawn);
    };
    const forget = whenNearlyVisible(place.current, () => {
      drawMatrix(value).then(show, () => {
        show(null);
      });
    });
    return () => {
      wanted = false;
      forget();
    };
  }, [value]);
  return (
    <span ref={place} className={cn('block aspect-square rounded-control bg-white', className)}>
      {matrix ? (
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${matrix.size} ${matrix.size}`}
          shapeRendering="crispEdges"
          className="size-full"
        >
          <path d={matrix.path} fill="#111827" />
        </svg>
      ) : null}
      {matrix === null ? (
        <span className="grid size-full place-items-center p-4 text-center text-[#111827]">{fallback}</span>
      ) : null}
    </span>
  );
}

/**
 * Calls back once an element is less than a screen away. It calls at once in a dialog, and if the
 * browser cannot observe. Returns the function that stops observing.
 */
function whenNearlyVisible(element: Element | null, call: () => void): () => void {
  if (!element || element.closest('[role=dialog]') || !('IntersectionObserver' in window)) {
    call();
    return () => undefined;
  }
  const observer = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      call();
    },
    { rootMargin: '100%' },
  );
  observer.observe(element);
  return () => {
    observer.disconnect();
  };
}

async function drawMatrix(value: string): Promise<Matrix> {
  const { encode } = await import('uqr');
  const { size, data } = encode(value, { ecc: 'M', border: 4 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size, path };
}
