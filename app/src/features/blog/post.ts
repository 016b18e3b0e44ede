import type { StoredPost } from './api/published-posts';
import type { BuiltInPost } from './built-in-posts';

/** A post, as the list and the heading of its page show it. */
export interface PostSummary {
  id: string;
  title: string;
  /** The language of title, excerpt and text, if it is known. */
  language: 'en' | undefined;
  category: string;
  excerpt: string;
  /** Null means the team of the product. */
  author: string | null;
  published: Date;
  /** In minutes. Stored posts have none and are marked New (SPECIFICATION.md S-113). */
  readTime: number | null;
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
    language: 'en',
    category,
    excerpt,
    author: null,
    published: new Date(`${date}T12:00:00+05:30`),
    readTime,
    icon,
  };
}

export function summaryOfStored(post: StoredPost): PostSummary {
  return {
    id: post.id,
    title: post.title,
    language: undefined,
    category: post.category,
    excerpt: post.excerpt,
    author: post.author_name,
    published: new Date(post.created_at),
    readTime: null,
    icon: null,
  };
}
