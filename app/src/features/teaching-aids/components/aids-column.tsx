import { lazy, Suspense } from 'react';
import { FinishedDocument } from '@/builder/components/finished-document';
import { History } from '@/builder/components/history';
import type { DocumentLanguage } from '@/builder/document-language';
import type { Activity, Finished } from '@/builder/use-generation';
import { useI18n } from '@/lib/i18n';
import { aidsTool } from '../aids-tool';
import { pagesOf } from '../form';
import type { AidsForm } from '../schema';

interface AidsColumnProps {
  values: AidsForm;
  language: DocumentLanguage;
  activity: Activity;
  finished: Finished<AidsForm, never> | null;
  /** Absent for a visitor, who has no history. */
  userId: string | undefined;
}

/**
 * The preview is below the form on phones and beside it elsewhere. The form does not wait for it.
 */
const AidsPreview = lazy(() => import('./aids-preview').catch(() => ({ default: () => null })));

/** The preview of the pages, then the pages themselves. */
export function AidsColumn({ values, language, activity, finished, userId }: AidsColumnProps) {
  const { t } = useI18n();
  const generating = activity.kind === 'generating';
  if (finished && !generating) {
    return (
      <FinishedDocument
        title={t('aids.ready')}
        document={finished.document}
        mail={finished.mail}
        asText={t('aids.document')}
      />
    );
  }
  return (
    <>
      <Suspense>
        <AidsPreview
          values={values}
          language={language.code}
          pages={pagesOf(values.numberOfPages)}
          startedAt={generating ? activity.startedAt : null}
        />
      </Suspense>
      {userId ? <History tool={aidsTool} userId={userId} /> : null}
    </>
  );
}
