import { Plus } from 'lucide-react';
import { useState } from 'react';
import { lazyDialog } from '@/components/lazy-dialog';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { useIsBlogAdmin } from '../api/blog-admin';

const CreatePostDialog = lazyDialog(() => import('./create-post-dialog'));

/** The button for a new post, for the one configured address (SPECIFICATION.md S-114). */
export function CreatePost() {
  const { t } = useI18n();
  const allowed = useIsBlogAdmin();
  const [open, setOpen] = useState(false);
  if (!allowed) return null;
  return (
    <div className="page pb-6">
      <Button
        onClick={() => {
          setOpen(true);
        }}
      >
        <Plus aria-hidden="true" />
        {t('blog.create')}
      </Button>
      {open ? (
        <CreatePostDialog
          onClose={() => {
            setOpen(false);
          }}
        />
      ) : null}
    </div>
  );
}
