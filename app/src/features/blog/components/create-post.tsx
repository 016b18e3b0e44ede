import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '@/components/ui/button';
import { useIsBlogAdmin } from '../api/blog-admin';

const CreatePostDialog = lazy(() => import('./create-post-dialog'));

/** The way to a new post, for the one address that the configuration names (screens.md S-114). */
export function CreatePost() {
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
        Create New Blog Post
      </Button>
      <Suspense>
        {open ? (
          <CreatePostDialog
            onClose={() => {
              setOpen(false);
            }}
          />
        ) : null}
      </Suspense>
    </div>
  );
}
