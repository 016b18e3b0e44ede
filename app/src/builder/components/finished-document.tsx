import { lazy, Suspense, type ComponentProps } from 'react';

const FinishedColumn = lazy(() => import('./finished-column'));

/** The column of a paid document, whose code comes with the document. */
export function FinishedDocument(props: ComponentProps<typeof FinishedColumn>) {
  return (
    <Suspense>
      <FinishedColumn {...props} />
    </Suspense>
  );
}

/** Fetches the code while the document is made, so that it is there when a connection is lost meanwhile. */
export function prepareFinishedDocument(): void {
  import('./finished-column').catch(() => undefined);
}
