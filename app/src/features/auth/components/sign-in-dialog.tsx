import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Dialog, DialogClose, DialogContent, DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { useI18n } from '@/lib/i18n';

/** Says that generating needs an account (SPECIFICATION.md S-243). */
export default function SignInDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  return (
    <Dialog onClose={onClose}>
      <DialogContent>
        <DialogTitle>{t('aids.signInTitle')}</DialogTitle>
        <DialogDescription>{t('aids.signInDetail')}</DialogDescription>
        <div className="mt-6 flex flex-col gap-3 sm:flex-row-reverse">
          <Button asChild className="sm:flex-1">
            <Link to="/auth">{t('aids.goToSignIn')}</Link>
          </Button>
          <DialogClose asChild>
            <Button variant="soft" className="sm:flex-1">
              {t('common.cancel')}
            </Button>
          </DialogClose>
        </div>
      </DialogContent>
    </Dialog>
  );
}
