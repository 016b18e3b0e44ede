import type { MessageKey, t as Translate } from '@/lib/i18n';

const names: Readonly<Partial<Record<string, MessageKey>>> = {
  admin: 'admin.role.admin',
  moderator: 'admin.role.moderator',
  user: 'admin.role.user',
};

/** Returns the name of a role on the screen. An unknown role keeps its own name. */
export function roleName(role: string, t: typeof Translate): string {
  const key = names[role];
  return key ? t(key) : role;
}
