import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import type { AdminUser } from '../admin-user';
import { addCredits, assignRole, deleteUser, removeRole } from '../api/change-user';
import { adminKeys } from '../api/keys';
import { roleName } from '../role-name';
import { RoleCard } from './role-card';
import { UsersTable } from './users-table';

type Question = { kind: 'delete'; user: AdminUser } | { kind: 'remove-role'; user: AdminUser; role: string };

interface UsersPanelProps {
  users: readonly AdminUser[];
  ownId: string;
}

/**
 * Roles, credits and deletion (screens.md 17). Every change is read back from the server, also one whose answer was
 * lost: the table must not tempt anyone to do it twice.
 */
export function UsersPanel({ users, ownId }: UsersPanelProps) {
  const { t } = useI18n();
  const client = useQueryClient();
  const [question, setQuestion] = useState<Question | null>(null);

  /** Says how it went; true when it went well. */
  async function attempt(change: () => Promise<void>, failed: string): Promise<boolean> {
    try {
      await change();
      return true;
    } catch (error) {
      const description = error instanceof Error ? error.message : '';
      toast.error({ title: failed, ...(description && { description }) });
      return false;
    } finally {
      await client.invalidateQueries({ queryKey: adminKeys.users });
    }
  }

  function add(user: AdminUser, credits: number) {
    return attempt(async () => {
      const notice = await addCredits(user, credits);
      toast.success({
        title: t('admin.creditsAdded', { credits, email: user.email }),
        description:
          notice.kind === 'told'
            ? t('admin.notified')
            : [t('admin.notNotified'), notice.reason].filter(Boolean).join(' '),
      });
    }, t('admin.creditsFailed'));
  }

  async function assign(user: AdminUser, role: string) {
    await attempt(async () => {
      await assignRole(user.id, role);
      toast.success({ title: t('admin.assigned', { role: roleName(role, t), email: user.email }) });
    }, t('admin.assignFailed'));
  }

  async function remove(user: AdminUser, role: string) {
    await attempt(async () => {
      await removeRole(user.id, role);
      toast.success({ title: t('admin.removed') });
    }, t('admin.removeFailed'));
  }

  async function erase(user: AdminUser) {
    await attempt(async () => {
      await deleteUser(user.id);
      toast.success({ title: t('admin.deleted') });
    }, t('admin.deleteFailed'));
  }

  function close() {
    setQuestion(null);
  }

  return (
    <>
      <RoleCard users={users} onAssign={assign} />
      <UsersTable
        users={users}
        ownId={ownId}
        onAddCredits={add}
        onRemoveRole={(user, role) => {
          setQuestion({ kind: 'remove-role', user, role });
        }}
        onDelete={(user) => {
          setQuestion({ kind: 'delete', user });
        }}
      />
      {question?.kind === 'delete' ? (
        <ConfirmDialog
          title={t('admin.deleteTitle')}
          detail={t('admin.deleteDetail', { email: question.user.email })}
          confirm={t('admin.deleteConfirm')}
          destructive
          onConfirm={() => erase(question.user)}
          onClose={close}
        />
      ) : null}
      {question?.kind === 'remove-role' ? (
        <ConfirmDialog
          title={t('admin.removeTitle')}
          detail={t('admin.removeDetail', { email: question.user.email, role: roleName(question.role, t) })}
          confirm={t('admin.removeConfirm')}
          destructive
          onConfirm={() => remove(question.user, question.role)}
          onClose={close}
        />
      ) : null}
    </>
  );
}
