import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { questionTypes } from '@/lib/options/question-paper';
import type { MarksPlan } from '../marks-plan';

/** How the marks add up, section by section, before anything is paid. */
export function MarksPlanCard({ plan }: { plan: MarksPlan | null }) {
  const { t } = useI18n();
  return (
    <Card className="px-[18px] py-4">
      <h2 className="text-lg font-bold">{t('marks.title')}</h2>
      {plan ? (
        <Sections plan={plan} />
      ) : (
        <p className="mt-1 text-sm text-muted-foreground">{t('paper.chooseTypes')}</p>
      )}
    </Card>
  );
}

function Sections({ plan }: { plan: MarksPlan }) {
  const { t } = useI18n();
  return (
    <>
      <ol className="mt-1">
        {plan.sections.map(({ letter, marks, attempt, parts }) => (
          <li key={letter} className="flex gap-3 border-b border-dashed border-border py-2 text-sm">
            <span className="w-5 font-bold">{letter}</span>
            <span className="flex-1">
              {parts.map(({ type, count, marksEach }) => {
                const key = questionTypes.find(({ value }) => value === type)?.text;
                const asked = attempt ?? count;
                return (
                  <span key={type} className="flex justify-between gap-3">
                    <span>
                      {key ? t(key) : type}
                      {attempt === null ? '' : ` (${t('marks.attempt', { count: attempt })})`}
                    </span>
                    <span className="shrink-0 text-muted-foreground tabular-nums">
                      {t('marks.each', { count: asked, marks: marksEach, total: asked * marksEach })}
                    </span>
                  </span>
                );
              })}
            </span>
            <span className="w-9 text-right font-semibold text-destructive tabular-nums">[{marks}]</span>
          </li>
        ))}
      </ol>
      <p className="flex justify-between pt-2 font-bold">
        <span>{t('marks.total')}</span>
        <span className="text-success tabular-nums">[{plan.totalMarks}]</span>
      </p>
    </>
  );
}
