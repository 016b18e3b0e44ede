import type { ReactNode } from 'react';

interface PaperSheetProps {
  label: string;
  /** The language of the document. */
  lang: string | undefined;
  children: ReactNode;
}

/** A finished document on paper. On wide screens it scrolls in its place. */
export function PaperSheet({ label, lang, children }: PaperSheetProps) {
  return (
    <section
      aria-label={label}
      // A scrolling region must be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      lang={lang}
      data-print="document"
      className="max-w-full rounded-paper bg-paper px-5 py-7 font-document text-base leading-normal text-paper-ink shadow-paper sm:px-9 sm:py-9 lg:max-h-[calc(100vh-6.5rem-var(--toast-room,0rem))] lg:overflow-y-auto goes-on-below"
    >
      {children}
    </section>
  );
}
