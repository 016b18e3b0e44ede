import { lazy, Suspense, useEffect } from 'react';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { retryableImport } from '@/lib/retryable-import';
import { saveDocument } from '../save-document';
import type { FinishedColumnProps } from './finished-column';
import { PlainText } from './plain-text';

const loadColumn = retryableImport(() => import('./finished-column'));
const FinishedColumn = lazy(() => loadColumn().catch(() => ({ default: PlainColumn })));

/** The column of a paid document. Its code loads with the document. */
export function FinishedDocument(props: FinishedColumnProps) {
  return (
    <Suspense>
      <FinishedColumn {...props} />
    </Suspense>
  );
}

/**
 * Loads the code during the generation, so that it is there if the connection is lost meanwhile.
 */
export function preloadFinishedDocument(): void {
  loadColumn().catch(() => undefined);
}

/** The same for the code that shows the document of one tool. */
export function usePreload(generating: boolean, load: () => Promise<unknown>): void {
  useEffect(() => {
    if (generating) load().catch(() => undefined);
  }, [generating, load]);
}

/**
 * If the code of the column fails to load, the file
 * and the text of the paid document are still there.
 */
function PlainColumn({ title, document }: FinishedColumnProps) {
  const { t } = useI18n();
  return (
    <>
      <h2 className="text-xl font-bold">{title}</h2>
      <Button
        variant="outline"
        onClick={() => {
          saveDocument(document);
        }}
      >
        {t('builder.downloadAgain')}
      </Button>
      <PlainText document={document} />
    </>
  );
}
