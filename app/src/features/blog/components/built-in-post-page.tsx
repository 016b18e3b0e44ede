import { use } from 'react';
import type { BuiltInPost } from '../built-in-posts';
import { summaryOfBuiltIn } from '../post';
import { PostArticle } from './post-article';

const texts = new Map<string, Promise<{ default: string }>>();

/** Each text loads once and suspends meanwhile. A failed load is repeated. */
function textOf(post: BuiltInPost): Promise<{ default: string }> {
  const known = texts.get(post.id);
  if (known) return known;
  const text = post.load();
  texts.set(post.id, text);
  text.catch(() => texts.delete(post.id));
  return text;
}

export function BuiltInPostPage({ post }: { post: BuiltInPost }) {
  const { default: content } = use(textOf(post));
  return <PostArticle post={summaryOfBuiltIn(post)} content={content} />;
}
