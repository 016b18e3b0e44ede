import { lazyDialog } from '@/components/lazy-dialog';
import type { InsufficientProps } from './builder-screen';

const InsufficientDialog = lazyDialog(() => import('@/features/wallet/components/insufficient-dialog'));

/** Too few credits, told in a dialog (SPECIFICATION.md S-190, S-244). */
export function renderInsufficientDialog(props: InsufficientProps) {
  return <InsufficientDialog {...props} />;
}
