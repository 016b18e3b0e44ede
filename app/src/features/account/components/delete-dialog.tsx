import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useI18n } from '@/lib/i18n';

interface DeleteDialogProps {
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks once before the profile is deleted (SPECIFICATION.md S-309). */
export default function DeleteDialog(props: DeleteDialogProps) {
  const { t } = useI18n();
  return (
    <ConfirmDialog
      title={t('profilePage.deleteTitle')}
      detail={t('profilePage.deleteDetail')}
      confirm={t('profilePage.deleteConfirm')}
      destructive
      {...props}
    />
  );
}
