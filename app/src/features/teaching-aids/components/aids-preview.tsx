import type { ReactNode } from 'react';
import { BlankSheet } from '@/builder/components/blank-parts';
import { useBlankWords } from '@/builder/use-blank-words';
import { Card } from '@/components/ui/card';
import type { Option } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { translateChoices } from '@/lib/options/choices';
import { aidTypes } from '@/lib/options/teaching-aids';
import { loadBlankWords } from '../blank-words';
import type { AidsForm } from '../schema';

interface AidsPreviewProps {
  values: AidsForm;
  /** The language of the document, as ISO 639-1. */
  language: string;
  pages: number;
  /** When the generation started, or null. */
  startedAt: number | null;
}

/** The preview of the aids: the plan of the pages, and the sheet with ruled blanks. */
export default function AidsPreview(props: AidsPreviewProps): ReactNode {
  const { t } = useI18n();
  const { aidTypes: ticked } = props.values;
  const kinds = translateChoices(aidTypes, t).filter(({ value }) => ticked.includes(value));
  return (
    <>
      <PagePlan pages={props.pages} kinds={kinds} />
      <BlankAids {...props} kinds={kinds} />
    </>
  );
}

function PagePlan({ pages, kinds }: { pages: number; kinds: readonly Option[] }) {
  const { t, tn } = useI18n();
  return (
    <Card className="px-[18px] py-4">
      <h2 className="text-lg font-bold">{t('aids.planTitle')}</h2>
      {kinds.length === 0 ? (
        <p className="mt-1 text-sm text-muted-foreground">{t('aids.planEmpty')}</p>
      ) : (
        <ul className="mt-1">
          {kinds.map(({ value, label }) => (
            <li key={value} className="border-b border-dashed border-border py-2 text-sm">
              {label}
            </li>
          ))}
        </ul>
      )}
      <p className="flex justify-between pt-2 font-bold">
        <span>{t('aids.pages')}</span>
        <span className="text-success tabular-nums">{tn('aids.planPages', pages)}</span>
      </p>
    </Card>
  );
}

interface BlankAidsProps extends AidsPreviewProps {
  /** In the words of the interface. */
  kinds: readonly Option[];
}

/**
 * The heading and the kinds of aids, with ruled blanks
 * in place of their content (SPECIFICATION.md D24).
 */
function BlankAids({ values, language, kinds, startedAt }: BlankAidsProps) {
  const { words, ...blanks } = useBlankWords(loadBlankWords, language);
  const parts = kinds.map(({ value, label }) => ({ title: words?.names[value] ?? label }));
  return (
    <BlankSheet
      values={values}
      language={language}
      blanks={blanks}
      parts={parts.length ? parts : [{ title: blanks.say('title', 'tools.teachingAids') }]}
      startedAt={startedAt}
    />
  );
}
