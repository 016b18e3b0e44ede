import { lazyDialog } from '@/components/lazy-dialog';
import type { InsufficientProps } from './builder-screen';

const InsufficientDialog = lazyDialog(() => import('@/features/wallet/components/insufficient-dialog'));

/** Renders the dialog for too few credits (SPECIFICATION.md S-190, S-244). */
export function renderInsufficientDialog(props: InsufficientProps) {
  return <InsufficientDialog {...props} />;
}
