import { Page } from '../../components/page.tsx';

export default function LoginPage() {
  return <Page title="login">…</Page>;
}
