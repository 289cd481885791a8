import { Page } from '../../components/page.tsx';

export default function PipelinePage() {
  return <Page title="pipeline">…</Page>;
}
