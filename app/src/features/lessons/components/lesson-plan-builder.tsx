import { useRef, useState } from 'react';
import { BuilderGrid } from '@/builder/components/builder-grid';
import { EstimateNote } from '@/builder/components/estimate-note';
import { GenerateActions } from '@/builder/components/generate-actions';
import { useBuilder, type BuilderProps } from '@/builder/use-builder';
import { useDocumentLanguage } from '@/builder/use-document-language';
import { useConfirmBeforeCharge } from '@/builder/use-confirm-before-charge';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { requestOf } from '../form';
import { lessonPlanTool } from '../lesson-plan-tool';
import { ChapterBoard, DetailsSection } from './form-sections';
import { PlanColumn } from './plan-column';
import { StartButton } from './start-button';

/** The form on the left of its preview (SPECIFICATION.md 10, D24). */
export function LessonPlanBuilder(props: BuilderProps) {
  const { user, cost } = props;
  const { t } = useI18n();
  const builder = useBuilder({ ...props, tool: lessonPlanTool });
  const { form, values, activity, finished, busy, missing, loadFailed, paidAlready, sample } = builder;
  const complete = missing.length === 0;
  const [started, setStarted] = useState(builder.recoverable);
  const canEstimate = started && complete && sample.isSettled && !loadFailed && !paidAlready && !busy;
  const confirmation = useConfirmBeforeCharge(
    lessonPlanTool,
    canEstimate ? requestOf(values, sample.object) : null,
  );
  const language = useDocumentLanguage(values, confirmation.estimate);

  // The button disappears with its step, so the focus moves to the next step.
  const generateHeading = useRef<HTMLHeadingElement>(null);
  function start() {
    setStarted(true);
    generateHeading.current?.focus();
  }

  return (
    <BuilderGrid
      builder={builder}
      onSubmit={(event) => form.handleSubmit(start, builder.refuse)(event)}
      generateRef={generateHeading}
      generate={
        started && complete ? (
          <Card className="p-4 sm:p-5">
            <EstimateNote {...confirmation} />
            <GenerateActions
              builder={builder}
              confirmation={confirmation}
              cost={cost}
              download={t('lesson.download')}
            />
          </Card>
        ) : (
          <StartButton missing={missing} loadFailed={loadFailed} />
        )
      }
      column={
        <PlanColumn
          values={values}
          language={language}
          activity={activity}
          finished={finished}
          userId={user.id}
          followed={confirmation.estimate?.sample?.followed ?? []}
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
