import { lazyDialog } from '@/components/lazy-dialog';
import { CommunicationBuilder } from '@/features/communications/components/communication-builder';
import { useGoBack } from '@/hooks/use-go-back';
import { env } from '@/lib/env';
import { generationCost } from '@/lib/generation-cost';
import { useI18n } from '@/lib/i18n';
import { useUser } from '@/lib/session';
import { BuilderScreen, type InsufficientProps } from '../builder-screen';
import { renderInsufficientDialog } from '../insufficient-dialog';

const BuyPack = lazyDialog(() => import('@/features/payments/components/buy-pack'));

export default function CommunicationToolRoute() {
  const { t } = useI18n();
  const { id } = useUser();
  const goBack = useGoBack('/home');
  // Too few credits open the purchase of a pack, if
  // payments are configured (SPECIFICATION.md S-269).
  const buyPack = (props: InsufficientProps) => <BuyPack {...props} userId={id} cost={generationCost} />;
  return (
    <BuilderScreen
      title={t('tools.communication')}
      policy="function"
      logout
      onBack={goBack}
      builder={(props) => <CommunicationBuilder {...props} />}
      renderInsufficient={env.upiPayeeAddress ? buyPack : renderInsufficientDialog}
    />
  );
}
