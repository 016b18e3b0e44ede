import { lazy, Suspense } from 'react';
import { FinishedDocument, usePreload } from '@/builder/components/finished-document';
import { History } from '@/builder/components/history';
import { PlainText } from '@/builder/components/plain-text';
import type { DocumentLanguage } from '@/builder/document-language';
import type { GeneratedDocument } from '@/builder/tool';
import type { Activity, Finished } from '@/builder/use-generation';
import { useI18n } from '@/lib/i18n';
import { retryableImport } from '@/lib/retryable-import';
import type { PaperDocument } from '../document-schema';
import type { MarksPlan } from '../marks-plan';
import { paperTool } from '../paper-tool';
import type { PaperForm } from '../schema';

/**
 * The preview is below the form on phones and beside it elsewhere. The form does not wait for it.
 */
const PaperPreview = lazy(() => import('./paper-preview').catch(() => ({ default: () => null })));
const loadDocument = retryableImport(() => import('./paper-document'));
const PaperDocumentSheet = lazy(() => loadDocument().catch(() => ({ default: PaperText })));

interface PaperColumnProps {
  values: PaperForm;
  language: DocumentLanguage;
  plan: MarksPlan | null;
  activity: Activity;
  finished: Finished<PaperForm, PaperDocument> | null;
  userId: string;
}

/** The marks plan and the blank paper, then the paper itself with its key. */
export function PaperColumn({ values, language, plan, activity, finished, userId }: PaperColumnProps) {
  const { t } = useI18n();
  const generating = activity.kind === 'generating';
  usePreload(generating, loadDocument);
  if (finished && !generating) {
    return (
      <FinishedDocument title={t('paper.ready')} document={finished.document} mail={finished.mail}>
        <PaperDocumentSheet paper={finished.document} />
      </FinishedDocument>
    );
  }
  return (
    <>
      <Suspense>
        <PaperPreview
          values={values}
          language={language.code}
          plan={plan}
          startedAt={generating ? activity.startedAt : null}
        />
      </Suspense>
      <History tool={paperTool} userId={userId} />
    </>
  );
}

function PaperText({ paper }: { paper: GeneratedDocument<PaperDocument> }) {
  return <PlainText document={paper} />;
}
