import { Trash2, X } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { BreakableAddress } from '@/components/breakable-address';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { formatDate, formatTime } from '@/lib/dates';
import { useI18n } from '@/lib/i18n';
import { formatNumber } from '@/lib/money';
import { cn } from '@/lib/utils';
import { creditsOf, type AdminUser } from '../admin-user';
import { roleName } from '../role-name';

export interface UserActions {
  /** The administrator at the screen, who cannot be deleted here (SPECIFICATION.md S-333). */
  ownId: string;
  onAddCredits: (user: AdminUser, credits: number) => Promise<boolean>;
  onRemoveRole: (user: AdminUser, role: string) => void;
  onDelete: (user: AdminUser) => void;
}

interface UserRowProps extends UserActions {
  user: AdminUser;
}

export function UserRow({ user, ownId, onAddCredits, onRemoveRole, onDelete }: UserRowProps) {
  const { t } = useI18n();
  const { id, email, phone, coins, roles, lastPayment, joined } = user;
  return (
    <tr className="border-t border-border">
      <td className="min-w-52 px-4 py-2 font-medium">
        <BreakableAddress>{email}</BreakableAddress>
      </td>
      <td className="px-3 py-2 tabular-nums">{phone || '–'}</td>
      <td className="px-3 py-2 text-right font-semibold tabular-nums">{formatNumber(coins)}</td>
      <td className="px-3 py-2">
        <ul className="flex gap-1.5">
          {roles.map((role) => (
            <li key={role}>
              <RoleBadge
                role={role}
                name={roleName(role, t)}
                remove={t('admin.removeRoleFor', { role: roleName(role, t), email })}
                onRemove={() => {
                  onRemoveRole(user, role);
                }}
              />
            </li>
          ))}
        </ul>
      </td>
      <td className="px-3 py-2 whitespace-nowrap tabular-nums">
        {lastPayment ? formatTime(lastPayment) : '–'}
      </td>
      <td className="px-3 py-2 whitespace-nowrap tabular-nums">{formatDate(joined)}</td>
      <td className="px-3 py-1.5">
        <div className="flex items-center gap-2">
          <CreditsForm user={user} onAddCredits={onAddCredits} />
          <Button
            variant="ghost"
            size="icon"
            aria-label={t('admin.deleteFor', { email })}
            disabled={id === ownId}
            onClick={() => {
              onDelete(user);
            }}
          >
            <Trash2 aria-hidden="true" />
          </Button>
        </div>
      </td>
    </tr>
  );
}

const badgeColours: Readonly<Record<string, string>> = {
  admin: 'bg-primary-soft text-primary',
  moderator: 'bg-accent-soft text-foreground',
};

interface RoleBadgeProps {
  role: string;
  name: string;
  remove: string;
  onRemove: () => void;
}

/** Everybody keeps the role user (S-334). */
function RoleBadge({ role, name, remove, onRemove }: RoleBadgeProps) {
  return (
    <span
      className={cn(
        'inline-flex min-h-8 items-center rounded-full pl-3 font-semibold',
        badgeColours[role] ?? 'bg-muted text-muted-foreground',
        role === 'user' ? 'pr-3' : 'pr-0.5',
      )}
    >
      {name}
      {role === 'user' ? null : (
        <button
          type="button"
          aria-label={remove}
          onClick={onRemove}
          className="grid size-7 place-items-center rounded-full hover:bg-card"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      )}
    </span>
  );
}

interface CreditsFormProps {
  user: AdminUser;
  onAddCredits: UserActions['onAddCredits'];
}

function CreditsForm({ user, onAddCredits }: CreditsFormProps) {
  const { t } = useI18n();
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const credits = creditsOf(text);

  async function add(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (credits === null || busy) return;
    setBusy(true);
    if (await onAddCredits(user, credits)) setText('');
    setBusy(false);
  }

  return (
    <form onSubmit={add} className="flex items-center gap-1.5">
      <Input
        inputMode="numeric"
        maxLength={6}
        aria-label={t('admin.credits', { email: user.email })}
        placeholder={t('admin.coins')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
        className="min-h-11 w-20 px-2.5 tabular-nums"
      />
      <Button
        type="submit"
        variant="outline"
        className="min-h-11 px-3"
        aria-label={t('admin.addCreditsFor', { email: user.email })}
        disabled={credits === null || busy}
      >
        {t('admin.addCredits')}
      </Button>
    </form>
  );
}
