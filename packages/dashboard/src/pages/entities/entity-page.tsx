import { Page } from '../../components/page.tsx';

export default function EntityPage() {
  return <Page title="entity">…</Page>;
}
