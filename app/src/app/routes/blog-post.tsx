import { Suspense } from 'react';
import { useParams } from 'react-router';
import { PublicPage } from '@/components/public-page';
import { usePublishedPost } from '@/features/blog/api/published-post';
import { builtInPost, type BuiltInPost } from '@/features/blog/built-in-posts';
import { BuiltInPostPage } from '@/features/blog/components/built-in-post-page';
import { PostArticle } from '@/features/blog/components/post-article';
import { PostLoading, PostMissing } from '@/features/blog/components/post-missing';
import { summaryOfStored } from '@/features/blog/post';

/** The built-in posts by their numbers first, then the stored ones (screens.md S-124). */
export default function BlogPostRoute() {
  const { id = '' } = useParams();
  const post = builtInPost(id);
  return post ? <BuiltIn post={post} /> : <Stored key={id} id={id} />;
}

function BuiltIn({ post }: { post: BuiltInPost }) {
  return (
    <PublicPage title={post.title} description={post.excerpt}>
      <Suspense fallback={<PostLoading />}>
        <BuiltInPostPage post={post} />
      </Suspense>
    </PublicPage>
  );
}

function Stored({ id }: { id: string }) {
  const { data: post, isPending } = usePublishedPost(id);
  if (isPending) {
    return (
      <PublicPage title="Blogs" description="A post for the staff room.">
        <PostLoading />
      </PublicPage>
    );
  }
  if (!post) {
    return (
      <PublicPage title="Blog Post Not Found">
        <PostMissing />
      </PublicPage>
    );
  }
  return (
    <PublicPage title={post.title} description={post.excerpt}>
      <PostArticle post={summaryOfStored(post)} content={post.content} />
    </PublicPage>
  );
}
