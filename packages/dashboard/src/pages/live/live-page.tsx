import { Page } from '../../components/page.tsx';

export default function LivePage() {
  return <Page title="live">…</Page>;
}
