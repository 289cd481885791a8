import { Page } from '../../components/page.tsx';

export default function EventsPage() {
  return <Page title="events">…</Page>;
}
