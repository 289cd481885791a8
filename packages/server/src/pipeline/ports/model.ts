import type { OutgoingHttp, OutgoingResult } from '../../core/http/outgoing.ts';
import { definePort } from './port.ts';

/** The port of models: asked through the guarded client, like everything that goes out. */
export type ModelClient = Pick<OutgoingHttp, 'request'>;

interface ModelCalls {
  request(...args: Parameters<ModelClient['request']>): Promise<PlainResult>;
}

/** A result as it crosses threads, which headers do not. */
type PlainResult =
  | (Omit<Extract<OutgoingResult, { kind: 'answered' }>, 'headers'> & {
      readonly headers: readonly (readonly [string, string])[];
    })
  | Extract<OutgoingResult, { kind: 'failed' }>;

/** Null where no model may be asked: a dry run that did not ask for it. */
export const modelPort = definePort<ModelClient | null, ModelCalls>({
  isRemote: true,
  connect: thread => ({
    async request(request) {
      const result = await thread.call('request', request);
      return result.kind === 'failed'
        ? result
        : { ...result, headers: new Headers(result.headers.map(([name, value]) => [name, value])) };
    },
  }),
  serve: ({ client }) => ({
    calls: {
      async request(...args) {
        const result = await client.request(...args);
        return result.kind === 'failed' ? result : { ...result, headers: [...result.headers] };
      },
    },
  }),
  forDryRun: (model, { mayAskModel }) => (mayAskModel ? model : null),
});
