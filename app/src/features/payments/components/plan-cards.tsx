import { Check, Minus, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { formatNumber, formatRupees } from '@/lib/money';
import { cn } from '@/lib/utils';
import { plans, popularPlan, purchaseOf, type Plan, type Purchase } from '../plans';

interface PlanCardsProps {
  /** The query `highlight` of the address. */
  highlight: string | null;
  onBuy: (purchase: Purchase) => void;
}

/** Basic, Standard and Premium (SPECIFICATION.md S-286 to S-289). */
export function PlanCards({ highlight, onBuy }: PlanCardsProps) {
  const popular = popularPlan(highlight);
  return (
    <ul className="grid items-stretch gap-5 pt-3 md:grid-cols-3 md:gap-4">
      {plans.map((plan) => (
        <li key={plan.id}>
          <PlanCard plan={plan} popular={plan.id === popular} onBuy={onBuy} />
        </li>
      ))}
    </ul>
  );
}

interface PlanCardProps {
  plan: Plan;
  popular: boolean;
  onBuy: (purchase: Purchase) => void;
}

function PlanCard({ plan, popular, onBuy }: PlanCardProps) {
  const { t } = useI18n();
  const [amount, setAmount] = useState(plan.price);
  const purchase = purchaseOf(plan, amount);
  return (
    <section
      aria-labelledby={`plan-${plan.id}`}
      className={cn(
        'relative flex h-full flex-col rounded-card border bg-card p-5 text-card-foreground shadow-card',
        popular ? 'border-accent ring-1 ring-accent' : 'border-border',
      )}
    >
      {popular ? (
        <p className="absolute -top-3.5 left-5 rounded-full bg-accent px-3 py-0.5 text-sm font-semibold text-accent-foreground">
          {t('plans.popular')}
        </p>
      ) : null}
      <h2 id={`plan-${plan.id}`} className="text-xl font-bold">
        {t(plan.label)}
      </h2>
      <p className="mt-2 text-[2.25rem] leading-none font-heavy tabular-nums">
        {formatRupees(purchase.amount)}
      </p>
      <p aria-live="polite" className="mt-1.5 text-lg font-semibold text-muted-foreground tabular-nums">
        {t('plans.credits', { credits: formatNumber(purchase.credits) })}
      </p>
      {plan.payAsYouGo ? <AmountControl step={plan.price} amount={amount} onChange={setAmount} /> : null}
      <ul className="mt-4 mb-5 flex-1 space-y-1.5">
        {plan.points.map((point) => (
          <li key={point} className="flex gap-2.5">
            <Check aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-success" strokeWidth={2.4} />
            {t(point)}
          </li>
        ))}
      </ul>
      <Button
        variant={popular ? 'accent' : 'outline'}
        className="w-full"
        onClick={() => {
          onBuy(purchase);
        }}
      >
        {t('plans.buy', { credits: formatNumber(purchase.credits) })}
        <span className="sr-only">, {t(plan.label)}</span>
      </Button>
    </section>
  );
}

interface AmountControlProps {
  step: number;
  amount: number;
  onChange: (amount: number) => void;
}

/** Steps up without a limit, and down to one step. */
function AmountControl({ step, amount, onChange }: AmountControlProps) {
  const { t } = useI18n();
  return (
    <div role="group" aria-label={t('plans.amount')} className="mt-4 flex items-center gap-3">
      <Button
        variant="soft"
        size="icon"
        aria-label={t('plans.less', { step })}
        disabled={amount <= step}
        onClick={() => {
          onChange(amount - step);
        }}
      >
        <Minus aria-hidden="true" />
      </Button>
      <span className="min-w-20 text-center text-lg font-bold tabular-nums">{formatRupees(amount)}</span>
      <Button
        variant="soft"
        size="icon"
        aria-label={t('plans.more', { step })}
        onClick={() => {
          onChange(amount + step);
        }}
      >
        <Plus aria-hidden="true" />
      </Button>
    </div>
  );
}
