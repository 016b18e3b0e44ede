import type { MessageKey } from '@/lib/i18n';

export interface Plan {
  id: 'basic' | 'standard' | 'premium';
  /** As a payment names it. */
  name: string;
  label: MessageKey;
  /** Rupees; of pay-as-you-go the smallest amount and its step. */
  price: number;
  credits: number;
  payAsYouGo: boolean;
  points: readonly MessageKey[];
}

/** What can be bought, as the database accepts it (SPECIFICATION.md S-287, D11). */
export const plans: readonly Plan[] = [
  {
    id: 'basic',
    name: 'Basic',
    label: 'plans.basic',
    price: 20,
    credits: 20,
    payAsYouGo: true,
    points: ['plans.basicFirst', 'plans.basicSecond'],
  },
  {
    id: 'standard',
    name: 'Standard',
    label: 'plans.standard',
    price: 100,
    credits: 150,
    payAsYouGo: false,
    points: ['plans.standardFirst', 'plans.standardSecond'],
  },
  {
    id: 'premium',
    name: 'Premium',
    label: 'plans.premium',
    price: 250,
    credits: 400,
    payAsYouGo: false,
    points: ['plans.premiumFirst', 'plans.premiumSecond'],
  },
];

/** Which plan carries the badge Most Popular; `highlight` is the query of the address (S-288). */
export function popularPlan(highlight: string | null): Plan['id'] {
  return highlight === 'basic' ? 'basic' : 'standard';
}

/** A plan with the amount that was chosen for it. */
export interface Purchase {
  plan: Plan;
  /** Rupees. */
  amount: number;
  credits: number;
}

/** Pay-as-you-go gives a credit for each rupee; the packs give theirs (S-289, S-299). */
export function purchaseOf(plan: Plan, amount: number): Purchase {
  return plan.payAsYouGo
    ? { plan, amount, credits: amount }
    : { plan, amount: plan.price, credits: plan.credits };
}
