import { Page } from '../../components/page.tsx';

export default function EntitiesPage() {
  return <Page title="entities">…</Page>;
}
