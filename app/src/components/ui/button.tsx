import { cva, type VariantProps } from 'class-variance-authority';
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';

export const buttonVariants = cva(
  'inline-flex min-h-[46px] shrink-0 items-center justify-center gap-2 rounded-control px-5 py-2.5 text-base leading-tight font-semibold transition-[background-color,color,border-color] duration-150 select-none disabled:opacity-55 aria-disabled:opacity-55 [&_svg]:size-5 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        default:
          'bg-primary text-primary-foreground enabled:hover:bg-primary-hover [a&]:hover:bg-primary-hover',
        accent: 'bg-accent text-accent-foreground enabled:hover:bg-accent-hover [a&]:hover:bg-accent-hover',
        outline:
          'border-[1.5px] border-primary text-primary enabled:hover:bg-primary-soft [a&]:hover:bg-primary-soft',
        destructive:
          'bg-destructive text-background enabled:hover:bg-destructive-hover [a&]:hover:bg-destructive-hover',
        soft: 'bg-muted text-foreground enabled:hover:bg-primary-soft [a&]:hover:bg-primary-soft',
        ghost: 'text-foreground enabled:hover:bg-muted [a&]:hover:bg-muted',
        link: 'px-1 text-primary underline-offset-4 enabled:hover:underline [a&]:hover:underline',
      },
      size: {
        default: '',
        lg: 'min-h-[52px] px-6 text-lg',
        icon: 'size-11 min-h-11 px-0 py-0',
      },
    },
    defaultVariants: { variant: 'default', size: 'default' },
  },
);

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof buttonVariants> & { asChild?: boolean };

/** A button. With `asChild` its single child (a link) gets its look. */
export function Button({
  className,
  variant,
  size,
  asChild = false,
  type = 'button',
  ...props
}: ButtonProps) {
  const classes = cn(buttonVariants({ variant, size }), className);
  if (asChild) return <Slot.Root className={classes} {...props} />;
  return <button type={type} className={classes} {...props} />;
}
