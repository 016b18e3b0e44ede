import type { MessageKey, t as Translate } from '@/lib/i18n';

const names: Readonly<Partial<Record<string, MessageKey>>> = {
  admin: 'admin.role.admin',
  moderator: 'admin.role.moderator',
  user: 'admin.role.user',
};

/** What a role is called on the screen; one that the panel does not know keeps its own name. */
export function roleName(role: string, t: typeof Translate): string {
  const key = names[role];
  return key ? t(key) : role;
}
