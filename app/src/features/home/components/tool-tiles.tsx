import { FileText, Megaphone, Newspaper, NotebookPen, Shapes, type LucideIcon } from 'lucide-react';
import { Link } from 'react-router';
import { Cost } from '@/components/cost';
import { useI18n } from '@/lib/i18n';
import { generationCost } from '@/lib/generation-cost';
import { tools, type Tool } from '@/lib/tools';

const icons: Readonly<Record<Tool['id'], LucideIcon>> = {
  'lesson-plan': NotebookPen,
  'question-paper': FileText,
  'teaching-aids': Shapes,
  'communication-tool': Megaphone,
};

export function ToolTiles({ isAdmin }: { isAdmin: boolean }) {
  const { t } = useI18n();
  return (
    <nav aria-label={t('home.tools')}>
      <ul className="grid grid-cols-2 gap-3 lg:gap-4">
        {tools.map((tool) => (
          <li key={tool.id}>
            <Tile
              to={tool.path}
              title={t(tool.homeName)}
              detail={t(tool.shortDetail)}
              Icon={icons[tool.id]}
              credits={generationCost}
            />
          </li>
        ))}
        {isAdmin ? (
          <li className="col-span-2">
            <Tile to="/blogs" title={t('home.blogs')} detail={t('home.blogsDetail')} Icon={Newspaper} />
          </li>
        ) : null}
      </ul>
    </nav>
  );
}

interface TileProps {
  to: string;
  title: string;
  detail: string;
  Icon: LucideIcon;
  credits?: number;
}

function Tile({ to, title, detail, Icon, credits }: TileProps) {
  return (
    <Link
      to={to}
      className="relative block h-full rounded-card border border-border bg-card p-3.5 text-card-foreground shadow-card transition-colors duration-150 hover:border-primary lg:min-h-[164px] lg:p-5"
    >
      <span className="grid size-10 place-items-center rounded-control bg-primary-soft text-primary lg:size-[46px]">
        <Icon aria-hidden="true" className="size-6" strokeWidth={1.8} />
      </span>
      <span className="mt-3 block text-[1.0625rem] leading-tight font-bold lg:text-xl">{title}</span>
      <span className="mt-1 block text-[0.9375rem] leading-snug text-muted-foreground">{detail}</span>
      {credits === undefined ? null : (
        <Cost credits={credits} className="absolute top-3.5 right-3.5 text-destructive lg:top-5 lg:right-5" />
      )}
    </Link>
  );
}
