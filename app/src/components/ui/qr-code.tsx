import { useEffect, useState } from 'react';
import { cn } from '@/lib/utils';

interface Matrix {
  size: number;
  path: string;
}

interface QrCodeProps {
  value: string;
  label: string;
  /** What is said where its code does not arrive. */
  instead?: string;
  className?: string;
}

/** A QR code drawn in the browser: dark on white in both themes, with its quiet zone of 4 modules. */
export function QrCode({ value, label, instead, className }: QrCodeProps) {
  const [matrix, setMatrix] = useState<Matrix | null>();
  useEffect(() => {
    let wanted = true;
    const show = (drawn: Matrix | null) => {
      if (wanted) setMatrix(drawn);
    };
    drawMatrix(value).then(show, () => {
      show(null);
    });
    return () => {
      wanted = false;
    };
  }, [value]);
  return (
    <span className={cn('block aspect-square rounded-control bg-white', className)}>
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
        <span className="grid size-full place-items-center p-4 text-center text-[#111827]">{instead}</span>
      ) : null}
    </span>
  );
}

async function drawMatrix(value: string): Promise<Matrix> {
  const { encode } = await import('uqr');
  const { size, data } = encode(value, { ecc: 'M', border: 4 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size, path };
}
