import { BuilderGrid } from '@/builder/components/builder-grid';
import { ForecastNote } from '@/builder/components/forecast-note';
import { GenerateActions } from '@/builder/components/generate-actions';
import { useBuilder, type BuilderProps } from '@/builder/use-builder';
import { useDocumentLanguage } from '@/builder/use-document-language';
import { useForewarning } from '@/builder/use-forewarning';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { visitorId } from '@/lib/left-on-device';
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

/** The form on the left of what the pages will hold (SPECIFICATION.md 12). */
export function TeachingAidsBuilder(props: TeachingAidsBuilderProps) {
  const { cost, onSignedOut } = props;
  const { t } = useI18n();
  const builder = useBuilder({ ...props, user: props.user ?? nobody, tool: aidsTool });
  const { form, values, activity, finished, busy, missing, lacking, paidAlready } = builder;
  // A visitor cannot ask the function.
  const asked = props.user !== null && missing.length === 0 && !lacking && !paidAlready && !busy;
  const forewarning = useForewarning(aidsTool, asked ? requestOf(values) : null);
  const language = useDocumentLanguage(values, forewarning.forecast);

  return (
    <BuilderGrid
      builder={builder}
      onSubmit={form.handleSubmit(() => undefined, builder.refuse)}
      generate={
        <Card className="p-4 sm:p-5">
          <ForecastNote {...forewarning} />
          {paidAlready ? null : <p className="mb-1 font-semibold">{t('aids.cost', { cost })}</p>}
          <GenerateActions
            builder={builder}
            forewarning={forewarning}
            cost={cost}
            download={t('aids.download')}
            labelled
            onGenerate={async (delivery) => {
              if (props.user) await builder.make(delivery, forewarning.mayCharge);
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
