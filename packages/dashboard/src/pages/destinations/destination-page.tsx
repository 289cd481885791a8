import { Page } from '../../components/page.tsx';

export default function DestinationPage() {
  return <Page title="destination">…</Page>;
}
