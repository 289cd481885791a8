import { Page } from '../../components/page.tsx';

export default function PipelinesPage() {
  return <Page title="pipelines">…</Page>;
}
