import { Link } from 'react-router';
import { env } from '@/lib/env';
import { cn } from '@/lib/utils';

/** An exercise book with its margin line and a tick. */
function Logo({ className }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className={cn('size-8', className)}>
      <rect x="5" y="3" width="23" height="26" rx="3.5" className="fill-primary" />
      <path d="M10.5 3v26" strokeWidth="1.6" className="stroke-margin" />
      <path
        d="m14.5 16.5 3.6 3.6 6.4-8"
        fill="none"
        strokeWidth="2.8"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="stroke-primary-foreground"
      />
    </svg>
  );
}

interface BrandProps {
  to: '/' | '/home';
  /** The name does not fit beside the buttons on phones, so the logo stands for it there. */
  crowded?: boolean;
}

/** The product's name and logo, with a link to / or /home. */
export function Brand({ to, crowded = false }: BrandProps) {
  return (
    <Link to={to} className="flex min-h-11 min-w-0 items-center gap-2.5 rounded-control">
      <Logo className="shrink-0" />
      <span className={cn('text-lg leading-tight font-bold sm:text-xl', crowded && 'max-[430px]:sr-only')}>
        {env.productName}
      </span>
    </Link>
  );
}
