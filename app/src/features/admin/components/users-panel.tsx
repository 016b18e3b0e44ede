import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import type { AdminUser } from '../admin-user';
import { addCredits, assignRole, deleteUser, removeRole } from '../api/change-user';
import { adminKeys } from '../api/keys';
import { roleName } from '../role-name';
import { showCreditsResult } from '../credits-messages';
import { RoleCard } from './role-card';
import { UsersTable } from './users-table';

type Question = { kind: 'delete'; user: AdminUser } | { kind: 'remove-role'; user: AdminUser; role: string };

interface UsersPanelProps {
  users: readonly AdminUser[];
  ownId: string;
}

/**
 * Roles, credits and deletion (SPECIFICATION.md 17). Every change is read back from the server,
 * even if its answer was lost, so that nobody repeats it by mistake.
 */
export function UsersPanel({ users, ownId }: UsersPanelProps) {
  const { t } = useI18n();
  const client = useQueryClient();
  const [question, setQuestion] = useState<Question | null>(null);

  const readAgain = () => client.invalidateQueries({ queryKey: adminKeys.users });

  async function attempt(change: () => Promise<void>, failed: string): Promise<void> {
    try {
      await change();
    } catch (error) {
      showFailure(failed, error);
    } finally {
      await readAgain();
    }
  }

  /** Resolves to true if the credits were added. */
  async function add(user: AdminUser, credits: number): Promise<boolean> {
    try {
      const result = await addCredits(user, credits);
      const reading = readAgain();
      // The message refers to the balance, so it is read again first.
      if (result.kind === 'repeated' || result.kind === 'unknown') await reading;
      showCreditsResult(result, user.email, credits);
      await reading;
      return result.kind !== 'unknown';
    } catch (error) {
      showFailure(t('admin.creditsFailed'), error);
      await readAgain();
      return false;
    }
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

function showFailure(title: string, error: unknown): void {
  const description = error instanceof Error ? error.message : '';
  toast.error({ title, ...(description && { description }) });
}
