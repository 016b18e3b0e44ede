import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { useI18n, type MessageKey } from '@/lib/i18n';
import { marksOf, questionsOf, samplePlans, type PlanPart, type SamplePlan } from '../sample-plans';

const partNames: Readonly<Record<PlanPart, MessageKey>> = {
  mcq: 'landing.mcq',
  fill: 'landing.fill',
  'very-short': 'landing.veryShort',
  short: 'landing.short',
  long: 'landing.long',
};

const firstShown = 100;

/** A blackboard with the plan of a paper for the chosen total. */
export function MarksBoard() {
  const { t } = useI18n();
  const [total, setTotal] = useState(firstShown);
  const plan = samplePlans.find(({ totalMarks }) => totalMarks === total);
  return (
    <section aria-labelledby="board-heading" className="page py-10 lg:py-14">
      <div className="dark rounded-card border-[10px] border-wood bg-background text-foreground shadow-paper">
        <div className="grid gap-x-12 gap-y-8 px-5 py-8 sm:px-9 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)] lg:items-center lg:py-11">
          <div>
            <h2 id="board-heading" className="heading-condensed text-title">
              {t('landing.board')}
            </h2>
            <p className="mt-3 max-w-[30rem] text-lg text-muted-foreground">{t('landing.boardDetail')}</p>
            <TotalChoice total={total} onChoose={setTotal} />
            <Button asChild size="lg" className="mt-7">
              <Link to="/public-question-paper">
                {t('landing.boardTry')} <ArrowRight aria-hidden="true" />
              </Link>
            </Button>
          </div>
          {plan ? <ChalkedPlan plan={plan} /> : null}
        </div>
        <ChalkTray />
      </div>
    </section>
  );
}

function TotalChoice({ total, onChoose }: { total: number; onChoose: (total: number) => void }) {
  const { t } = useI18n();
  return (
    <fieldset className="mt-6">
      <legend className="font-semibold">{t('landing.boardMarks')}</legend>
      <div className="mt-2 flex flex-wrap gap-2">
        {samplePlans.map(({ totalMarks }) => (
          <label key={totalMarks} className="relative">
            <input
              type="radio"
              name="board-total"
              value={totalMarks}
              checked={totalMarks === total}
              onChange={() => {
                onChoose(totalMarks);
              }}
              className="peer absolute inset-0 cursor-pointer opacity-0"
            />
            <span className="flex min-h-11 min-w-14 items-center justify-center rounded-full border-[1.5px] border-input px-4 font-bold tabular-nums peer-checked:border-primary peer-checked:bg-primary peer-checked:text-primary-foreground peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-ring">
              {totalMarks}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function ChalkedPlan({ plan }: { plan: SamplePlan }) {
  const { t } = useI18n();
  return (
    <div>
      <ol key={plan.totalMarks} className="font-document text-base sm:text-lg">
        {plan.sections.map((section, index) => (
          <li
            key={section.letter}
            className={`flex animate-chalk items-baseline gap-2 border-b sm:gap-3 border-dashed border-border py-2 ${delays[index] ?? ''}`}
          >
            <span className="w-5 font-bold sm:w-6">{section.letter}</span>
            <span className="min-w-0 flex-1">
              {section.parts.map(({ type, count, marksEach }) => (
                <span key={type} className="flex flex-wrap justify-between gap-x-2">
                  <span>{t(partNames[type])}</span>
                  <span className="text-muted-foreground tabular-nums">
                    {count} × {marksEach} = {count * marksEach}
                  </span>
                </span>
              ))}
            </span>
            <span className="w-11 text-right font-bold text-primary tabular-nums">[{marksOf(section)}]</span>
          </li>
        ))}
      </ol>
      <p aria-live="polite" className="mt-3 flex items-baseline justify-between gap-3 font-document text-xl">
        <span className="text-base text-muted-foreground">
          {t('landing.boardSummary', { questions: questionsOf(plan), minutes: plan.minutes })}
        </span>
        <span className="chalk-underline font-bold text-primary tabular-nums">
          {plan.totalMarks} / {plan.totalMarks}
        </span>
      </p>
    </div>
  );
}

/** One line appears after the other, as on a blackboard. */
const delays = ['', 'delay-chalk-1', 'delay-chalk-2', 'delay-chalk-3', 'delay-chalk-4'];

function ChalkTray() {
  return (
    <div aria-hidden="true" className="flex h-5 items-end gap-2 rounded-b-[4px] bg-wood-shade px-8">
      <span className="h-2 w-12 rounded-full bg-chalk" />
      <span className="h-2 w-7 rounded-full bg-primary" />
      <span className="h-2 w-9 rounded-full bg-margin" />
    </div>
  );
}
