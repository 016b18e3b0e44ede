export const blogKeys = {
  list: ['blog', 'posts'] as const,
  post: (id: string) => ['blog', 'posts', id] as const,
};
