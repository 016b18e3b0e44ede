import { clsx, type ClassValue } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

const merge = extendTailwindMerge({
  extend: {
    theme: { text: ['title', 'hero'], radius: ['paper', 'control', 'card'], shadow: ['card', 'paper'] },
  },
});

/** Joins class names; of two utilities that set the same property the later one stays. */
export function cn(...inputs: ClassValue[]): string {
  return merge(clsx(inputs));
}
