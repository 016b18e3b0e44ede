import { useNavigate } from 'react-router';
import { QuestionPaperBuilder } from '@/features/question-papers/components/question-paper-builder';
import { generationCost } from '@/lib/generation-cost';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { BuilderScreen } from '../builder-screen';

/** A toast reports too few credits here, not a dialog (SPECIFICATION.md S-218). */
export default function QuestionPaperRoute() {
  const { t } = useI18n();
  const navigate = useNavigate();
  function showInsufficient(coins: number) {
    toast.error({
      title: t('paper.insufficient'),
      description: t('paper.insufficientDetail', { cost: generationCost, coins }),
      action: { label: t('wallet.buy'), onPress: () => void navigate('/home?buy=credits') },
    });
  }
  return (
    <BuilderScreen
      title={t('tools.questionPaper')}
      policy="server"
      builder={(props) => <QuestionPaperBuilder {...props} onInsufficient={showInsufficient} />}
    />
  );
}
