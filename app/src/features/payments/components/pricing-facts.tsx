const facts = [
  {
    question: 'When are credits consumed?',
    answer: 'Only on successful generation. When a document cannot be made, its credits are given back.',
  },
  { question: 'Do credits expire?', answer: 'They never expire. What you buy this term is there next term.' },
  {
    question: 'When can I buy more?',
    answer:
      'You can top up at any time, by UPI. A person verifies every payment, usually within 2 to 6 hours.',
  },
] as const;

/** The three questions of the pricing page (screens.md S-290). */
export function PricingFacts() {
  return (
    <section aria-labelledby="pricing-facts" className="max-w-[52rem]">
      <h2 id="pricing-facts" className="heading-condensed text-title">
        Before you buy
      </h2>
      <dl className="mt-4 divide-y divide-border border-y border-border">
        {facts.map(({ question, answer }) => (
          <div key={question} className="py-4">
            <dt className="text-lg font-bold">{question}</dt>
            <dd className="mt-0.5 text-muted-foreground">{answer}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
