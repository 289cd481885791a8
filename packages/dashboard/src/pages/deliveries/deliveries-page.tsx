import { Page } from '../../components/page.tsx';

export default function DeliveriesPage() {
  return <Page title="deliveries">…</Page>;
}
