import { Page } from '../../components/page.tsx';

export default function SourcesPage() {
  return <Page title="sources">…</Page>;
}
