import type { ReactNode, Ref } from 'react';

interface BuilderGridProps {
  /** The document stands in the column now, and gets more room. */
  finished: boolean;
  form: ReactNode;
  columnRef: Ref<HTMLDivElement>;
  column: ReactNode;
}

/** The form on the left of a sticky column; on phones one below the other. */
export function BuilderGrid({ finished, form, columnRef, column }: BuilderGridProps) {
  return (
    <div
      className={
        finished
          ? 'grid items-start gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,560px)]'
          : 'grid items-start gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,1fr)_400px]'
      }
    >
      <div className="min-w-0 print:hidden">{form}</div>
      <div
        ref={columnRef}
        tabIndex={-1}
        className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3.5 outline-none lg:sticky lg:top-4"
      >
        {column}
      </div>
    </div>
  );
}
