import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { CreatePost } from '@/features/blog/components/create-post';
import { PostList } from '@/features/blog/components/post-list';
import { PostsInEnglish } from '@/features/blog/components/posts-in-english';
import { useI18n } from '@/lib/i18n';

export default function BlogsRoute() {
  const { t, language } = useI18n();
  return (
    <PublicPage
      language={language}
      title={t('blog.title')}
      description={`${t('blog.lead')} ${t('blog.description')}`}
    >
      <PageTitle lead={t('blog.lead')}>{t('blog.heading')}</PageTitle>
      <PostsInEnglish />
      <CreatePost />
      <PostList />
    </PublicPage>
  );
}
