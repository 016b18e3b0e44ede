import { BuilderHeader } from '@/components/builder-header';
import { CoinChip } from '@/components/coin-chip';
import { QuestionPaperBuilder } from '@/features/question-papers/components/question-paper-builder';
import { useCoins, useWallet } from '@/features/wallet/use-wallet';
import { usePage } from '@/hooks/use-page';
import { useI18n } from '@/lib/i18n';
import { useSession, useUser } from '@/lib/session';
import { toast } from '@/lib/toast';
import { generationCost } from '@/lib/generation-cost';

export default function QuestionPaperRoute() {
  const { t } = useI18n();
  const user = useUser();
  const { signOut } = useSession();
  const coins = useCoins(user.id, 'other');
  const wallet = useWallet(user.id, 'server');
  usePage(t('tools.questionPaper'), 'private');

  return (
    <div className="pb-32 md:pb-16 print:p-0">
      <BuilderHeader title={t('tools.questionPaper')}>
        <CoinChip coins={coins} />
      </BuilderHeader>
      <main className="page pt-2">
        <QuestionPaperBuilder
          user={user}
          wallet={wallet}
          cost={generationCost}
          onInsufficient={(balance) => {
            toast.error({
              title: t('paper.insufficient'),
              description: t('paper.insufficientDetail', { cost: generationCost, coins: balance }),
            });
          }}
          onSignedOut={signOut}
        />
      </main>
    </div>
  );
}
