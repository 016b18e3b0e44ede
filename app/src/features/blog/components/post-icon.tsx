import { BookOpen, Clock, FileText, Footprints, PencilRuler, Users, type LucideIcon } from 'lucide-react';
import type { BuiltInPost } from '../built-in-posts';

const icons: Readonly<Record<BuiltInPost['icon'], LucideIcon>> = {
  clock: Clock,
  marks: PencilRuler,
  file: FileText,
  book: BookOpen,
  steps: Footprints,
  people: Users,
};

export function PostIcon({ icon }: { icon: BuiltInPost['icon'] }) {
  const Icon = icons[icon];
  return (
    <span className="grid size-11 place-items-center rounded-control bg-primary-soft text-primary">
      <Icon aria-hidden="true" className="size-[22px]" strokeWidth={1.8} />
    </span>
  );
}
