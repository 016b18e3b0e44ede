import { useI18n } from '@/lib/i18n';
import { postsAfter } from '../built-in-posts';
import { summaryOfBuiltIn } from '../post';
import { PostCard } from './post-card';

/** The posts that are offered at the end of a post. */
export function ReadNext({ after }: { after: string }) {
  const { t } = useI18n();
  return (
    <section aria-labelledby="read-next" className="page mt-12 print:hidden">
      <h2 id="read-next" className="heading-condensed text-title">
        {t('blog.more')}
      </h2>
      <ul className="mt-5 grid gap-4 sm:grid-cols-2 lg:max-w-[46rem]">
        {postsAfter(after).map((post) => (
          <li key={post.id}>
            <PostCard post={summaryOfBuiltIn(post)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
