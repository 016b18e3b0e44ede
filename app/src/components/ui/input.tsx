import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';

export const controlClasses =
  'min-h-[46px] w-full min-w-0 rounded-control border border-input bg-card px-3.5 py-2 text-base text-card-foreground transition-colors duration-150 placeholder:text-muted-foreground focus-visible:border-ring disabled:opacity-60 aria-invalid:border-destructive';

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(controlClasses, className)} {...props} />;
}
