import { useState } from 'react';
import { lazyDialog } from '@/components/lazy-dialog';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { deleteProfile } from '../api/delete-profile';

const DeleteDialog = lazyDialog(() => import('./delete-dialog'));

interface DangerZoneProps {
  userId: string;
  onDeleted: () => Promise<void>;
}

/** Deletes the profile after one question (SPECIFICATION.md S-309 to S-311). */
export function DangerZone({ userId, onDeleted }: DangerZoneProps) {
  const { t } = useI18n();
  const [asking, setAsking] = useState(false);

  async function remove() {
    try {
      await deleteProfile(userId);
    } catch {
      toast.error({ title: t('profilePage.deleteFailed') });
      return;
    }
    await onDeleted();
    toast.plain({ title: t('profilePage.deleted'), description: t('profilePage.deletedDetail') });
  }

  return (
    <section
      aria-labelledby="danger-zone"
      className="rounded-card border border-destructive bg-card p-5 text-card-foreground"
    >
      <h2 id="danger-zone" className="text-lg font-bold text-destructive">
        {t('profilePage.danger')}
      </h2>
      <p className="mt-1 text-muted-foreground">{t('profilePage.dangerDetail')}</p>
      <Button
        variant="destructive"
        className="mt-4"
        onClick={() => {
          setAsking(true);
        }}
      >
        {t('profilePage.delete')}
      </Button>
      {asking ? (
        <DeleteDialog
          onConfirm={remove}
          onClose={() => {
            setAsking(false);
          }}
        />
      ) : null}
    </section>
  );
}
