import { Page } from '../../components/page.tsx';

export default function WelcomePage() {
  return <Page title="welcome">…</Page>;
}
