import { useRef, useState, type SubmitEvent } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog, DialogClose, DialogContent, DialogTitle } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { controlClasses, Input } from '@/components/ui/input';
import { Select } from '@/components/ui/select';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { cn } from '@/lib/utils';
import { useCreatePost } from '../api/create-post';
import { categories, categoryIn, type Category } from '../categories';

/**
 * Writes a post (SPECIFICATION.md S-116 to S-121). After a
 * failure the dialog stays open with the typed text.
 */
export default function CreatePostDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  return (
    <Dialog onClose={onClose}>
      <DialogContent className="sm:max-w-2xl" aria-describedby={undefined}>
        <DialogTitle>{t('blog.create')}</DialogTitle>
        <PostForm onClose={onClose} />
      </DialogContent>
    </Dialog>
  );
}

function PostForm({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  const [title, setTitle] = useState('');
  const [category, setCategory] = useState<Category>('General');
  const [content, setContent] = useState('');
  /** After a press on Publish the empty fields are marked until they are filled in. */
  const [tried, setTried] = useState(false);
  const titleRef = useRef<HTMLInputElement>(null);
  const contentRef = useRef<HTMLTextAreaElement>(null);
  const { mutate, isPending } = useCreatePost();
  const blank = { title: title.trim() === '', content: content.trim() === '' };

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending) return;
    if (blank.title || blank.content) {
      setTried(true);
      (blank.title ? titleRef : contentRef).current?.focus();
      toast.error({ title: t('common.error'), description: t('blog.incomplete') });
      return;
    }
    mutate(
      { title: title.trim(), category, content: content.trim() },
      {
        onSuccess: () => {
          toast.success({ title: t('blog.created') });
          onClose();
        },
        onError: () => {
          toast.error({ title: t('blog.createFailed') });
        },
      },
    );
  }

  return (
    <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
      <Field label={t('blog.postTitle')} error={tried && blank.title ? t('blog.titleMissing') : undefined}>
        {(control) => (
          <Input
            {...control}
            ref={titleRef}
            required
            maxLength={200}
            value={title}
            onChange={(event) => {
              setTitle(event.target.value);
            }}
          />
        )}
      </Field>
      <Field label={t('blog.category')}>
        {(control) => (
          <Select
            {...control}
            value={category}
            onChange={(event) => {
              setCategory(categories.find((known) => known === event.target.value) ?? 'General');
            }}
          >
            {categories.map((known) => (
              <option key={known} value={known}>
                {categoryIn(t, known)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label={t('blog.content')}
        hint={t('blog.contentHint')}
        error={tried && blank.content ? t('blog.contentMissing') : undefined}
      >
        {(control) => (
          <textarea
            {...control}
            ref={contentRef}
            required
            rows={10}
            maxLength={50_000}
            value={content}
            onChange={(event) => {
              setContent(event.target.value);
            }}
            className={cn(controlClasses, 'resize-y leading-[1.55]')}
          />
        )}
      </Field>
      <div className="flex flex-wrap justify-end gap-3">
        <DialogClose asChild>
          <Button variant="outline">{t('common.cancel')}</Button>
        </DialogClose>
        <Button type="submit" disabled={isPending}>
          {t(isPending ? 'blog.publishing' : 'blog.publish')}
        </Button>
      </div>
    </form>
  );
}
