import { Card } from '../../components/card.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { ProviderSteps } from './provider-fields.tsx';

/** Where the URL and the secret of a source are pasted at its provider's. */
export function PasteCard({ name }: { name: string }) {
  const { data: providers = [] } = useCall('GET /kinds/providers');
  const provider = providers.find(one => one.name === name);
  if (provider === undefined) return null;
  return (
    <Card title={`At ${provider.title}`}>
      <ProviderSteps provider={provider} />
    </Card>
  );
}
