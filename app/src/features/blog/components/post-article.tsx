import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { categoryIn } from '../categories';
import type { PostSummary } from '../post';
import { PostFacts } from './post-card';
import { PostText } from './post-text';
import { ReadNext } from './read-next';

export function PostArticle({ post, content }: { post: PostSummary; content: string }) {
  const { t } = useI18n();
  return (
    <>
      <article className="page pt-4 lg:pt-8">
        <Button asChild variant="ghost" className="-ml-3 px-3 print:hidden">
          <Link to="/blogs">
            <ArrowLeft aria-hidden="true" />
            {t('blog.back')}
          </Link>
        </Button>
        <div className="relative mt-3 max-w-[46rem] border-l-2 border-margin pl-5 sm:pl-9">
          <p className="font-semibold text-destructive">{categoryIn(t, post.category)}</p>
          <h1
            lang={post.language}
            className="heading-condensed mt-1.5 text-[clamp(1.875rem,1.3rem+2.2vw,2.75rem)] leading-[1.14]"
          >
            {post.title}
          </h1>
          <PostFacts post={post} className="mt-4 mb-6" />
          <div lang={post.language}>
            <PostText content={content} />
          </div>
        </div>
      </article>
      <ReadNext after={post.id} />
    </>
  );
}
