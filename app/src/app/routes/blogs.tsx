import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { CreatePost } from '@/features/blog/components/create-post';
import { PostList } from '@/features/blog/components/post-list';

const lead = 'Things to try tomorrow, written for the ten minutes between two periods.';

export default function BlogsRoute() {
  return (
    <PublicPage
      title="Blogs"
      description={`${lead} Teaching tips, assessment, curriculum and technology for Indian classrooms.`}
    >
      <PageTitle lead={lead}>Reading for the staff room</PageTitle>
      <CreatePost />
      <PostList />
    </PublicPage>
  );
}
