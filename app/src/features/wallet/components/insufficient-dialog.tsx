import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Dialog, DialogClose, DialogContent, DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { useI18n } from '@/lib/i18n';
import { generationCost } from '@/lib/generation-cost';

interface InsufficientDialogProps {
  activity: string;
  /** The balance that was too low. */
  coins: number;
  onClose: () => void;
}

/** Says what the activity costs and what there is (screens.md S-190). */
export default function InsufficientDialog({ activity, coins, onClose }: InsufficientDialogProps) {
  const { t } = useI18n();
  return (
    <Dialog onClose={onClose}>
      <DialogContent>
        <DialogTitle>{t('insufficient.title')}</DialogTitle>
        <DialogDescription>{t('insufficient.detail')}</DialogDescription>
        <dl className="mt-5 divide-y divide-border border-y border-border">
          <Row term={t('insufficient.activity')} value={activity} />
          <Row term={t('insufficient.required')} value={String(generationCost)} />
          <Row term={t('insufficient.current')} value={String(coins)} alarming />
        </dl>
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

function Row({ term, value, alarming = false }: { term: string; value: string; alarming?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-3">
      <dt className="text-muted-foreground">{term}</dt>
      <dd
        className={
          alarming ? 'text-xl font-bold text-destructive tabular-nums' : 'text-right font-bold tabular-nums'
        }
      >
        {value}
      </dd>
    </div>
  );
}
