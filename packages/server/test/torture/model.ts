import { openaiAnswer } from '../support/model.ts';
import type { RunFiles } from './journal.ts';

/** A model that is asked for the mood of an event, and that has moods of its own. */
export interface MoodyModel {
  readonly url: string;
  become(behaviour: 'well' | 'nonsense' | 'down' | 'slow'): void;
  stop(): Promise<void>;
}

export const MOODS = ['good', 'bad'] as const;
/** What the step gives where the model does not help. */
export const DEFAULT_MOOD = 'unsure';

const nonsense = [
  '{"mood":"furious"}',
  'Good or bad, who can say?',
  '',
  '{"mood":["good","bad"]}',
  '\0\0\0',
  '{"mood":',
  '"good" is what I would say if I were allowed to',
];

const SLOW_MS = 3_000;

export function startMoodyModel(files: RunFiles): MoodyModel {
  let behaviour: Parameters<MoodyModel['become']>[0] = 'well';
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const payloadId = /torture-id-[\w-]+/.exec(await request.text())?.[0] ?? '';
      const answers = behaviour;
      asked++;
      const mood = MOODS[asked % MOODS.length] ?? 'good';
      const isWell = answers === 'well' || answers === 'slow';
      files.write('model', { at: files.now(), payloadId, label: isWell ? mood : null });
      if (answers === 'slow') await Bun.sleep(SLOW_MS);
      if (answers === 'down') return new Response('overloaded', { status: 529 });
      if (answers === 'nonsense') return openaiAnswer({ content: nonsense[asked % nonsense.length] ?? '' });
      return openaiAnswer({ content: JSON.stringify({ mood }) });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    become(next) {
      behaviour = next;
    },
    stop: () => server.stop(true),
  };
}
