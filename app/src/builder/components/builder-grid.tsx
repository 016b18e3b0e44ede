import type { ReactNode, Ref, SubmitEventHandler } from 'react';
import { FormProvider, type FieldValues, type UseFormReturn } from 'react-hook-form';
import { MarginSection } from '@/components/margin-section';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import type { RefusedField } from '../outcome-messages';
import { LoadErrorNote } from './load-error-note';
import { RefusedFieldContext } from './refused-field';

interface BuilderGridProps<Form extends FieldValues> {
  builder: {
    form: UseFormReturn<Form>;
    /** The document, or null until it is generated. */
    finished: object | null;
    loadFailed: boolean;
    refused: RefusedField | null;
    columnRef: Ref<HTMLDivElement>;
  };
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  /** The steps before the last one. */
  children: ReactNode;
  /** The last step, which generates the document. */
  generate: ReactNode;
  generateRef?: Ref<HTMLHeadingElement>;
  /** The preview of the document, and then the document, which gets more space. */
  column: ReactNode;
}

/** The form on the left of a sticky column. On phones one is below the other. */
export function BuilderGrid<Form extends FieldValues>(props: BuilderGridProps<Form>) {
  const { t } = useI18n();
  const { form, finished, loadFailed, refused, columnRef } = props.builder;
  return (
    <div
      className={cn(
        'grid items-start gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,1fr)_calc(450px+var(--beside,0px))]',
        // The document uses the free space beside the page, so that the form
        // keeps its width. Reduced motion gives everything the shortest
        // transition, in which a rotated phone would scroll sideways.
        finished &&
          'transition-none lg:mr-[calc(-1*var(--beside))] lg:[--beside:clamp(0px,(100vw-1120px)/2,80px)]',
      )}
    >
      <div className="min-w-0 print:hidden">
        <FormProvider {...form}>
          <form noValidate onSubmit={props.onSubmit}>
            <RefusedFieldContext value={refused}>{props.children}</RefusedFieldContext>
            <MarginSection
              number={3}
              title={t('builder.generateStep')}
              complete={finished !== null}
              last
              headingRef={props.generateRef}
            >
              <div role="status">{loadFailed ? <LoadErrorNote /> : null}</div>
              {props.generate}
            </MarginSection>
          </form>
        </FormProvider>
      </div>
      <div
        ref={columnRef}
        tabIndex={-1}
        className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3.5 outline-none lg:sticky lg:top-4"
      >
        {props.column}
      </div>
    </div>
  );
}
