import { messageOf } from '../../core/errors.ts';
import { Budget } from '../../core/expressions/cel/budget.ts';
import { type DestinationKind, scopeOfDelivery } from '../destination.ts';
import type { RenderingCall, RenderingReply } from './rendering-protocol.ts';
import { RENDERING_STEPS } from './template-renderer.ts';

/** The inner end of the thread that renders large deliveries. Templates are compiled for each: they are short beside it. */
export function serveRendering(
  end: {
    post(message: RenderingReply): void;
    onMessage(handle: (message: RenderingCall) => void): void;
  },
  findKind: (name: string) => DestinationKind | undefined,
): void {
  function render({ kind, config, delivery }: RenderingCall): unknown {
    const composer = findKind(kind)?.composer?.(config);
    if (composer === undefined) throw new Error(`A ${kind} destination renders nothing.`);
    return composer.compose(delivery, scopeOfDelivery(delivery), new Budget(RENDERING_STEPS));
  }

  end.onMessage(message => {
    const { call } = message;
    try {
      end.post({ kind: 'rendered', call, value: render(message) });
    } catch (error) {
      end.post({ kind: 'failed', call, message: messageOf(error) });
    }
  });
}
