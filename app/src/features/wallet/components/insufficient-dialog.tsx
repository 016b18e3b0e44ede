import { Link } from 'react-router';
import { InsufficientCredits } from '@/components/insufficient-credits';
import { Button } from '@/components/ui/button';
import { Dialog, DialogClose, DialogContent } from '@/components/ui/dialog';
import { generationCost } from '@/lib/generation-cost';
import { useI18n } from '@/lib/i18n';

interface InsufficientDialogProps {
  activity: string;
  /** The balance that was too low. */
  coins: number;
  onClose: () => void;
}

/** Too few credits, and a link to buy more (SPECIFICATION.md S-190). */
export default function InsufficientDialog({ activity, coins, onClose }: InsufficientDialogProps) {
  const { t } = useI18n();
  return (
    <Dialog onClose={onClose}>
      <DialogContent>
        <InsufficientCredits activity={activity} cost={generationCost} coins={coins} />
        <div className="mt-6 flex flex-col gap-3 sm:flex-row-reverse">
          <Button asChild variant="accent" className="sm:flex-1">
            <Link to="/home?buy=credits">{t('wallet.buy')}</Link>
          </Button>
          <DialogClose asChild>
            <Button variant="soft" className="sm:flex-1">
              {t('insufficient.later')}
            </Button>
          </DialogClose>
        </div>
      </DialogContent>
    </Dialog>
  );
}
