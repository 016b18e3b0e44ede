import { Link } from 'react-router';
import { formatDate } from '@/lib/dates';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { categoryIn } from '../categories';
import type { PostSummary } from '../post';
import { withoutMarks } from '../post-text';
import { PostIcon } from './post-icon';

/** A card of the list. All of it is a link to the post (SPECIFICATION.md S-109, S-111). */
export function PostCard({ post }: { post: PostSummary }) {
  const { t } = useI18n();
  return (
    <article className="relative flex h-full flex-col rounded-card border border-border bg-card p-5 text-card-foreground shadow-card transition-colors duration-150 hover:border-primary">
      <div className="flex min-h-11 items-center justify-between gap-3">
        <p className="font-semibold text-destructive">{categoryIn(t, post.category)}</p>
        {post.icon ? <PostIcon icon={post.icon} /> : null}
      </div>
      <h2 lang={post.language} className="mt-2 text-xl leading-snug font-bold">
        <Link
          to={`/blogs/${post.id}`}
          className="after:absolute after:inset-0 after:rounded-card focus-visible:after:outline-2 focus-visible:after:outline-ring"
        >
          {post.title}
        </Link>
      </h2>
      <p lang={post.language} className="mt-2 flex-1 text-muted-foreground">
        {withoutMarks(post.excerpt)}
      </p>
      <PostFacts post={post} className="mt-4 border-t border-dashed border-border pt-3" />
    </article>
  );
}

/** Author, date and reading time. */
export function PostFacts({ post, className }: { post: PostSummary; className?: string }) {
  const { t } = useI18n();
  return (
    <p className={className}>
      <span className="flex flex-wrap gap-x-4 text-sm text-muted-foreground">
        <span>{post.author ?? t('blog.team', { product: env.productName })}</span>
        {/* A line that is too long breaks after the author, never before the reading time alone. */}
        <span className="flex gap-x-4">
          <time dateTime={post.published.toISOString()} className="tabular-nums">
            {formatDate(post.published)}
          </time>
          <span>
            {post.readTime === null ? t('blog.new') : t('blog.readTime', { minutes: post.readTime })}
          </span>
        </span>
      </span>
    </p>
  );
}
