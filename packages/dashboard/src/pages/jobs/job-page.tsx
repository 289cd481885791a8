import { Page } from '../../components/page.tsx';

export default function JobPage() {
  return <Page title="job">…</Page>;
}
