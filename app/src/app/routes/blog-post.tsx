import { Suspense } from 'react';
import { useParams } from 'react-router';
import { PublicPage } from '@/components/public-page';
import { usePublishedPost } from '@/features/blog/api/published-post';
import { builtInPost, type BuiltInPost } from '@/features/blog/built-in-posts';
import { BuiltInPostPage } from '@/features/blog/components/built-in-post-page';
import { PostArticle } from '@/features/blog/components/post-article';
import { PostLoading, PostMissing } from '@/features/blog/components/post-missing';
import { summaryOfStored } from '@/features/blog/post';
import { useLoadError } from '@/hooks/use-load-error';
import { useI18n } from '@/lib/i18n';

/** The built-in posts by their numbers first, then the stored posts (SPECIFICATION.md S-124). */
export default function BlogPostRoute() {
  const { id = '' } = useParams();
  const post = builtInPost(id);
  return post ? <BuiltIn post={post} /> : <Stored key={id} id={id} />;
}

function BuiltIn({ post }: { post: BuiltInPost }) {
  const { language } = useI18n();
  return (
    <PublicPage language={language} title={post.title} description={post.excerpt}>
      <Suspense fallback={<PostLoading />}>
        <BuiltInPostPage post={post} />
      </Suspense>
    </PublicPage>
  );
}

function Stored({ id }: { id: string }) {
  const { t, language } = useI18n();
  const query = usePublishedPost(id);
  const { data: post } = query;
  const loadError = useLoadError(query);
  if (post === undefined && !loadError) {
    return (
      <PublicPage language={language} title={t('blog.title')} description={t('blog.postDescription')}>
        <PostLoading />
      </PublicPage>
    );
  }
  if (!post) {
    return (
      <PublicPage language={language} title={t('blog.missing')}>
        <PostMissing />
      </PublicPage>
    );
  }
  return (
    <PublicPage language={language} title={post.title} description={post.excerpt}>
      <PostArticle post={summaryOfStored(post)} content={post.content} />
    </PublicPage>
  );
}
