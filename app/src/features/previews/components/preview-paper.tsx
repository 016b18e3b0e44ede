import type { ReactNode } from 'react';
import type { Option } from '@/lib/curriculum';

interface PreviewPaperProps {
  label: string;
  heading: string;
  detail: string;
  /** The texts at the left and at the right above the line. */
  left: string;
  right: string;
  children: ReactNode;
}

/** The document so far: its heading, and ruled blanks in place of the content. */
export function PreviewPaper({ label, heading, detail, left, right, children }: PreviewPaperProps) {
  return (
    <section
      aria-label={label}
      className="rounded-paper bg-paper px-[22px] py-6 font-document text-[0.9375rem] text-paper-ink shadow-paper"
    >
      <h2 className="text-center text-[1.0625rem] leading-snug font-bold">{heading}</h2>
      <p className="text-center text-sm">{detail}</p>
      <p className="mt-1 flex flex-wrap justify-between gap-x-4 border-b border-paper-ink pb-2.5 text-sm">
        <span className="max-w-full">{left}</span>
        <span className="whitespace-nowrap">{right}</span>
      </p>
      {children}
    </section>
  );
}

/** A part of the document and the lines that it will fill. */
export function BlankPart({ title, lines = 2 }: { title: string; lines?: number }) {
  return (
    <div className="mt-4">
      <p className="font-bold">{title}</p>
      {Array.from({ length: lines }, (_, index) => (
        <span
          key={index}
          aria-hidden="true"
          className="mt-6 block border-b border-paper-rule first-of-type:mt-5"
        />
      ))}
    </div>
  );
}

export const blank = '__________';

/** Returns the typed text, or a blank. */
export function orBlank(text: string): string {
  return text.trim() || blank;
}

/** Returns the label of a chosen option, whose value is what a function gets. */
export function labelOf(options: readonly Option[], value: string): string | undefined {
  return options.find((option) => option.value === value)?.label;
}
