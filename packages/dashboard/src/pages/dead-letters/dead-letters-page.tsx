import { Page } from '../../components/page.tsx';

export default function DeadLettersPage() {
  return <Page title="dead-letters">…</Page>;
}
