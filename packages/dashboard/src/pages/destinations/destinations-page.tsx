import { Page } from '../../components/page.tsx';

export default function DestinationsPage() {
  return <Page title="destinations">…</Page>;
}
