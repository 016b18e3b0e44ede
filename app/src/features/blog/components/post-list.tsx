import { usePublishedPosts } from '../api/published-posts';
import { builtInPosts } from '../built-in-posts';
import { useI18n } from '@/lib/i18n';
import { categoryIn, chips } from '../categories';
import { summaryOfBuiltIn, summaryOfStored } from '../post';
import { PostCard } from './post-card';

/** Stored posts, then the six built-in ones (SPECIFICATION.md S-110). */
export function PostList() {
  const { t } = useI18n();
  const stored = usePublishedPosts();
  const posts = [...stored.map(summaryOfStored), ...builtInPosts.map(summaryOfBuiltIn)];
  return (
    <>
      {/* The chips name the topics and do not filter (S-108). */}
      <ul aria-label={t('blog.categories')} className="page flex flex-wrap gap-2">
        {chips.map((chip, index) => (
          <li
            key={chip}
            className={
              index === 0
                ? 'shrink-0 rounded-full bg-primary-soft px-4 py-1.5 font-semibold text-primary'
                : 'shrink-0 rounded-full border border-border px-4 py-1.5 font-semibold text-muted-foreground'
            }
          >
            {categoryIn(t, chip)}
          </li>
        ))}
      </ul>
      <ul className="page mt-6 grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {posts.map((post) => (
          <li key={post.id}>
            <PostCard post={post} />
          </li>
        ))}
      </ul>
    </>
  );
}
