import { Page } from '../../components/page.tsx';

export default function SourcePage() {
  return <Page title="source">…</Page>;
}
