import { useState, type SubmitEvent } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field } from '@/components/ui/field';
import { Select, SelectOptions } from '@/components/ui/select';
import { useI18n } from '@/lib/i18n';
import { assignableRoles, type AdminUser } from '../admin-user';
import { roleName } from '../role-name';

interface RoleCardProps {
  users: readonly AdminUser[];
  onAssign: (user: AdminUser, role: string) => Promise<void>;
}

/** Gives a role to a user (SPECIFICATION.md S-325). */
export function RoleCard({ users, onAssign }: RoleCardProps) {
  const { t } = useI18n();
  const [userId, setUserId] = useState('');
  const [role, setRole] = useState<string>(assignableRoles[0]);
  const [busy, setBusy] = useState(false);
  const user = users.find(({ id }) => id === userId);

  async function assign(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!user || busy) return;
    setBusy(true);
    await onAssign(user, role);
    setBusy(false);
  }

  return (
    <Card className="p-5">
      <h2 className="text-lg font-bold">{t('admin.roleTitle')}</h2>
      <form onSubmit={assign} className="mt-3 grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_180px_auto]">
        <Field label={t('admin.chooseUser')}>
          {(control) => (
            <Select
              {...control}
              value={userId}
              onChange={(event) => {
                setUserId(event.target.value);
              }}
            >
              <SelectOptions
                placeholder={t('admin.chooseUserPlaceholder')}
                options={users.map(({ id, email }) => ({ value: id, label: email || id }))}
              />
            </Select>
          )}
        </Field>
        <Field label={t('admin.chooseRole')}>
          {(control) => (
            <Select
              {...control}
              value={role}
              onChange={(event) => {
                setRole(event.target.value);
              }}
            >
              <SelectOptions
                options={assignableRoles.map((value) => ({ value, label: roleName(value, t) }))}
              />
            </Select>
          )}
        </Field>
        <Button type="submit" disabled={!user || busy}>
          {t('admin.assign')}
        </Button>
      </form>
    </Card>
  );
}
