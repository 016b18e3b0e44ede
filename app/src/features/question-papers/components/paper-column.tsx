import { lazy, Suspense } from 'react';
import { FinishedDocument, usePrepared } from '@/builder/components/finished-document';
import { History } from '@/builder/components/history';
import { PlainText } from '@/builder/components/plain-text';
import type { DocumentLanguage } from '@/builder/document-language';
import type { MadeDocument } from '@/builder/tool';
import type { Activity, Finished } from '@/builder/use-generation';
import { useI18n } from '@/lib/i18n';
import { importAgain } from '@/lib/import-again';
import type { PaperDocument } from '../document-schema';
import type { MarksPlan } from '../marks-plan';
import { paperTool } from '../paper-tool';
import type { PaperForm } from '../schema';

/** It stands below the form on phones, and beside it elsewhere: the form does not wait for it. */
const PaperOutlook = lazy(() => import('./paper-outlook').catch(() => ({ default: () => null })));
const loadDocument = importAgain(() => import('./paper-on-sheet'));
const PaperOnSheet = lazy(() => loadDocument().catch(() => ({ default: PaperText })));

interface PaperColumnProps {
  values: PaperForm;
  language: DocumentLanguage;
  plan: MarksPlan | null;
  activity: Activity;
  finished: Finished<PaperForm, PaperDocument> | null;
  userId: string;
}

/** How the marks add up and the blank paper, then the paper itself with its key. */
export function PaperColumn({ values, language, plan, activity, finished, userId }: PaperColumnProps) {
  const { t } = useI18n();
  const generating = activity.kind === 'generating';
  usePrepared(generating, loadDocument);
  if (finished && !generating) {
    return (
      <FinishedDocument title={t('paper.ready')} document={finished.document} mail={finished.mail}>
        <PaperOnSheet paper={finished.document} />
      </FinishedDocument>
    );
  }
  return (
    <>
      <Suspense>
        <PaperOutlook
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

function PaperText({ paper }: { paper: MadeDocument<PaperDocument> }) {
  return <PlainText document={paper} />;
}
