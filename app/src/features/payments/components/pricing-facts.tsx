import { useI18n } from '@/lib/i18n';

const facts = [
  { question: 'plans.whenConsumed', answer: 'plans.whenConsumedAnswer' },
  { question: 'plans.expire', answer: 'plans.expireAnswer' },
  { question: 'plans.topUp', answer: 'plans.topUpAnswer' },
] as const;

/** The three questions of the pricing page (SPECIFICATION.md S-290). */
export function PricingFacts() {
  const { t } = useI18n();
  return (
    <section aria-labelledby="pricing-facts" className="max-w-[52rem]">
      <h2 id="pricing-facts" className="heading-condensed text-title">
        {t('plans.facts')}
      </h2>
      <dl className="mt-4 divide-y divide-border border-y border-border">
        {facts.map(({ question, answer }) => (
          <div key={question} className="py-4">
            <dt className="text-lg font-bold">{t(question)}</dt>
            <dd className="mt-0.5 text-muted-foreground">{t(answer)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
