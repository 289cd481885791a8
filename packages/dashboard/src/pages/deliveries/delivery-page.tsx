import { Page } from '../../components/page.tsx';

export default function DeliveryPage() {
  return <Page title="delivery">…</Page>;
}
