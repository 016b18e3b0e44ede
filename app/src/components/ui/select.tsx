import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';
import { controlClasses } from './input';

/** The native select. It is light, and phones show its list best (SPECIFICATION.md D33). */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return (
    <span className="relative block">
      <select
        className={cn(
          controlClasses,
          'cursor-pointer appearance-none truncate pr-11 has-[option[value=""]:disabled:checked]:text-muted-foreground [&_option]:text-foreground',
          className,
        )}
        {...props}
      />
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-3.5 -mt-2.5 size-5 text-foreground"
      />
    </span>
  );
}

interface SelectOptionsProps {
  options: readonly { value: string; label: string }[];
  /** Shown until an option is chosen. It cannot be chosen itself. */
  placeholder?: string | undefined;
}

/** The options of a select. */
export function SelectOptions({ options, placeholder }: SelectOptionsProps) {
  return (
    <>
      {placeholder ? (
        <option value="" disabled>
          {placeholder}
        </option>
      ) : null}
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  );
}
