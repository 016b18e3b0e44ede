import { env } from '@/lib/env';
import type { StoredPost } from './api/published-posts';
import type { BuiltInPost } from './built-in-posts';

/** A post as the list and the heading of its page show it. */
export interface PostSummary {
  id: string;
  title: string;
  category: string;
  excerpt: string;
  author: string;
  published: Date;
  /** Stored posts have no reading time: they are New (screens.md S-113). */
  readTime: string;
  icon: BuiltInPost['icon'] | null;
}

export function summaryOfBuiltIn({
  id,
  title,
  category,
  excerpt,
  date,
  readTime,
  icon,
}: BuiltInPost): PostSummary {
  return {
    id,
    title,
    category,
    excerpt,
    author: `${env.productName} team`,
    published: new Date(`${date}T12:00:00+05:30`),
    readTime,
    icon,
  };
}

export function summaryOfStored(post: StoredPost): PostSummary {
  return {
    id: post.id,
    title: post.title,
    category: post.category,
    excerpt: post.excerpt,
    author: post.author_name,
    published: new Date(post.created_at),
    readTime: 'New',
    icon: null,
  };
}
