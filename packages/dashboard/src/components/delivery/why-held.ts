import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';

/** Why a destination holds what is sent to it, after “is”; a listener does so without anybody having paused it. */
export const whyHeld = ({ kind }: DeliveryRecord['destination']): string =>
  kind === 'listener' ? 'not connected, or paused' : 'paused';

/** The same as sentences, with what ends it. */
export function explainHeld(destination: DeliveryRecord['destination']): string {
  const until =
    destination.kind === 'listener'
      ? 'once “sluice listen” is connected and the destination is not paused'
      : 'when the destination is resumed';
  return `The destination is ${whyHeld(destination)}. The delivery is held, and sent ${until}.`;
}
