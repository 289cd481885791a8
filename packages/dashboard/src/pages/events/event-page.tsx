import { Page } from '../../components/page.tsx';

export default function EventPage() {
  return <Page title="event">…</Page>;
}
