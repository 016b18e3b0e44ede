import { lazy } from 'react';
import { FinishedDocument } from '@/builder/components/finished-document';
import { History } from '@/builder/components/history';
import type { Activity, Finished } from '@/builder/use-generation';
import { useI18n } from '@/lib/i18n';
import type { PaperDocument } from '../document-schema';
import type { MarksPlan } from '../marks-plan';
import { paperTool } from '../paper-tool';
import type { PaperForm } from '../schema';
import { BlankPaper } from './blank-paper';
import { MarksPlanCard } from './marks-plan-card';

const PaperOnSheet = lazy(() => import('./paper-on-sheet'));

interface PaperColumnProps {
  values: PaperForm;
  plan: MarksPlan | null;
  activity: Activity;
  finished: Finished<PaperForm, PaperDocument> | null;
  userId: string;
}

/** How the marks add up and the blank paper, then the paper itself with its key. */
export function PaperColumn({ values, plan, activity, finished, userId }: PaperColumnProps) {
  const { t } = useI18n();
  const generating = activity.kind === 'generating';
  if (finished && !generating) {
    return (
      <FinishedDocument title={t('paper.ready')} document={finished.document} mail={finished.mail}>
        <PaperOnSheet paper={finished.document} />
      </FinishedDocument>
    );
  }
  return (
    <>
      <MarksPlanCard plan={plan} />
      <BlankPaper values={values} plan={plan} startedAt={generating ? activity.startedAt : null} />
      <History tool={paperTool} userId={userId} />
    </>
  );
}
