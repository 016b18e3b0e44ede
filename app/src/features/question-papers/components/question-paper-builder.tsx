import { BuilderGrid } from '@/builder/components/builder-grid';
import { EstimateNote } from '@/builder/components/estimate-note';
import { GenerateActions } from '@/builder/components/generate-actions';
import { useBuilder, type BuilderProps } from '@/builder/use-builder';
import { useDocumentLanguage } from '@/builder/use-document-language';
import { useConfirmBeforeCharge } from '@/builder/use-confirm-before-charge';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { requestOf } from '../form';
import { paperTool } from '../paper-tool';
import { useMarksPlan } from '../use-marks-plan';
import { ChapterBoard, DetailsSection } from './form-sections';
import { PaperColumn } from './paper-column';

/** The form on the left of the marks plan and the paper (SPECIFICATION.md 11, D24). */
export function QuestionPaperBuilder(props: BuilderProps) {
  const { user, cost } = props;
  const { t } = useI18n();
  const builder = useBuilder({ ...props, tool: paperTool });
  const { form, values, activity, finished, busy, missing, loadFailed, paidAlready, sample } = builder;
  const canEstimate = missing.length === 0 && sample.isSettled && !loadFailed && !paidAlready && !busy;
  const confirmation = useConfirmBeforeCharge(
    paperTool,
    canEstimate ? requestOf(values, sample.object) : null,
  );
  const language = useDocumentLanguage(values, confirmation.estimate);
  const plan = useMarksPlan(values);

  return (
    <BuilderGrid
      builder={builder}
      onSubmit={form.handleSubmit(() => undefined, builder.refuse)}
      generate={
        <Card className="p-4 sm:p-5">
          <EstimateNote {...confirmation} />
          <GenerateActions
            builder={builder}
            confirmation={confirmation}
            cost={cost}
            download={t('paper.download')}
          />
        </Card>
      }
      column={
        <PaperColumn
          values={values}
          language={language}
          plan={plan}
          activity={activity}
          finished={finished}
          userId={user.id}
        />
      }
    >
      <ChapterBoard values={values} disabled={busy} />
      <DetailsSection
        values={values}
        language={language}
        disabled={busy}
        sample={sample}
        sampleRefusal={confirmation.sampleRefusal}
        estimate={confirmation.estimate}
      />
    </BuilderGrid>
  );
}
