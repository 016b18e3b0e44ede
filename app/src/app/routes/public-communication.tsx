import { PublicPage } from '@/components/public-page';
import { CommunicationPreview } from '@/features/previews/components/communication-preview';

export default function PublicCommunicationRoute() {
  return (
    <PublicPage
      title="Communication Tool"
      description="Try the form for WhatsApp notes, PTM messages and formal letters to parents, with the right date and weekday."
    >
      <CommunicationPreview />
    </PublicPage>
  );
}
