import { lazyDialog } from '@/components/lazy-dialog';
import type { TooFewCredits } from './builder-screen';

const InsufficientDialog = lazyDialog(() => import('@/features/wallet/components/insufficient-dialog'));

/** Too few credits, told in a dialog (SPECIFICATION.md S-190, S-244). */
export function insufficient(props: TooFewCredits) {
  return <InsufficientDialog {...props} />;
}
