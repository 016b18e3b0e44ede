import { expect, test } from 'vitest';
import { buttonVariants } from '@/components/ui/button';
import { cn } from './utils';

test('of two classes that set the same thing the later one wins', () => {
  for (const [one, other, merged] of [
    ['min-h-[46px] px-5', 'min-h-11 px-3', 'min-h-11 px-3'],
    ['size-11', 'w-14', 'size-11 w-14'],
    ['w-14 h-7', 'size-11', 'size-11'],
    ['px-5 py-2', 'p-0', 'p-0'],
    ['p-5', 'px-2', 'p-5 px-2'],
    ['text-base text-foreground', 'text-sm', 'text-foreground text-sm'],
    ['text-base text-foreground', 'text-primary', 'text-base text-primary'],
    ['text-[0.9375rem]', 'text-lg', 'text-lg'],
    [
      'rounded-control border border-input',
      'rounded-full border-2 border-accent',
      'rounded-full border-2 border-accent',
    ],
    ['bg-card hover:bg-muted', 'bg-popover', 'hover:bg-muted bg-popover'],
    ['sm:max-w-md', 'sm:max-w-2xl', 'sm:max-w-2xl'],
    ['leading-tight', 'text-lg', 'text-lg'],
    ['border-b-[3px]', 'border-primary', 'border-b-[3px] border-primary'],
    ['rounded-card', 'rounded-tl-none', 'rounded-card rounded-tl-none'],
    ['justify-center', 'justify-self-start', 'justify-center justify-self-start'],
    ['gap-x-4', 'gap-y-2', 'gap-x-4 gap-y-2'],
    ['overflow-x-auto', 'overflow-y-hidden', 'overflow-x-auto overflow-y-hidden'],
    ['text-center text-balance', 'text-muted-foreground', 'text-center text-balance text-muted-foreground'],
    ['text-muted-foreground', 'text-pretty', 'text-muted-foreground text-pretty'],
    ['text-balance', 'text-pretty', 'text-pretty'],
    ['text-left', 'text-start', 'text-start'],
    ['border-dashed border-input', 'border-ring', 'border-dashed border-ring'],
  ] as const) {
    expect(cn(one, other)).toBe(merged);
  }
});

test('a caller can make a button smaller', () => {
  const classes = cn(buttonVariants({ variant: 'soft' }), 'min-h-11 px-3').split(' ');
  expect(classes).toContain('min-h-11');
  expect(classes).not.toContain('min-h-[46px]');
  expect(classes).not.toContain('px-5');
});
