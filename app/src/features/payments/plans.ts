import type { MessageKey } from '@/lib/i18n';

export interface Plan {
  id: 'basic' | 'standard' | 'premium';
  /** The name in a payment. */
  name: string;
  label: MessageKey;
  /** Rupees. For pay-as-you-go it is the smallest amount and its step. */
  price: number;
  credits: number;
  payAsYouGo: boolean;
  points: readonly MessageKey[];
}

/** The plans that the database accepts (SPECIFICATION.md S-287, D11). */
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

/**
 * Returns the plan with the badge Most Popular. `highlight` is the query of the address (S-288).
 */
export function popularPlan(highlight: string | null): Plan['id'] {
  return highlight === 'basic' ? 'basic' : 'standard';
}

/** A plan with the chosen amount. */
export interface Purchase {
  plan: Plan;
  /** Rupees. */
  amount: number;
  credits: number;
}

/** Pay-as-you-go gives one credit for each rupee. The packs give theirs (S-289, S-299). */
export function purchaseOf(plan: Plan, amount: number): Purchase {
  return plan.payAsYouGo
    ? { plan, amount, credits: amount }
    : { plan, amount: plan.price, credits: plan.credits };
}
