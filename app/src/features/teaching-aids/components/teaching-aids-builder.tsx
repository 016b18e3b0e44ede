import { BuilderGrid } from '@/builder/components/builder-grid';
import { EstimateNote } from '@/builder/components/estimate-note';
import { GenerateActions } from '@/builder/components/generate-actions';
import { useBuilder, type BuilderProps } from '@/builder/use-builder';
import { useDocumentLanguage } from '@/builder/use-document-language';
import { useConfirmBeforeCharge } from '@/builder/use-confirm-before-charge';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { visitorId } from '@/lib/clear-user-data';
import type { SessionUser } from '@/lib/session';
import { aidsTool } from '../aids-tool';
import { requestOf } from '../form';
import { AidsColumn } from './aids-column';
import { ChapterBoard, DetailsSection } from './form-sections';

interface TeachingAidsBuilderProps extends Omit<BuilderProps, 'user'> {
  /** Null for a visitor, who may fill in the form (SPECIFICATION.md S-047). */
  user: SessionUser | null;
}

const nobody: SessionUser = { id: visitorId, email: '' };

/** The form on the left of the preview of its pages (SPECIFICATION.md 12). */
export function TeachingAidsBuilder(props: TeachingAidsBuilderProps) {
  const { cost, onSignedOut } = props;
  const { t } = useI18n();
  const builder = useBuilder({ ...props, user: props.user ?? nobody, tool: aidsTool });
  const { form, values, activity, finished, busy, missing, loadFailed, paidAlready } = builder;
  // A visitor cannot call the function.
  const canEstimate = props.user !== null && missing.length === 0 && !loadFailed && !paidAlready && !busy;
  const confirmation = useConfirmBeforeCharge(aidsTool, canEstimate ? requestOf(values) : null);
  const language = useDocumentLanguage(values, confirmation.estimate);

  return (
    <BuilderGrid
      builder={builder}
      onSubmit={form.handleSubmit(() => undefined, builder.refuse)}
      generate={
        <Card className="p-4 sm:p-5">
          <EstimateNote {...confirmation} />
          {paidAlready ? null : <p className="mb-1 font-semibold">{t('aids.cost', { cost })}</p>}
          <GenerateActions
            builder={builder}
            confirmation={confirmation}
            cost={cost}
            download={t('aids.download')}
            progressInLabel
            onGenerate={async (delivery) => {
              if (props.user) await builder.generate(delivery, confirmation.mayCharge);
              else onSignedOut();
            }}
          />
        </Card>
      }
      column={
        <AidsColumn
          values={values}
          language={language}
          activity={activity}
          finished={finished}
          userId={props.user?.id}
        />
      }
    >
      <ChapterBoard values={values} disabled={busy} />
      <DetailsSection values={values} language={language} disabled={busy} />
    </BuilderGrid>
  );
}
