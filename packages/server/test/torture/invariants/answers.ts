import type { AnswerLine } from '../lines.ts';
import type { Evidence, Invariant } from './evidence.ts';
import { couldAnswer } from './lives.ts';

export const whoeverIsUpAnswers: Invariant = {
  name: 'answers',
  promise:
    'A node that is up, awake and has its storage answers every request, of senders within 15 seconds; 5xx is 503 alone, in the envelope, as `storage_unavailable` and with Retry-After.',
  broken(evidence) {
    const { senders, operators } = evidence.logs;
    if (operators.length === 0) return ['Nobody asked anything at the dashboard.'];
    return [
      ...senders.flatMap(line =>
        line.kind === 'answered' ? wrongWith(`Request ${line.request}`, line, evidence) : [],
      ),
      ...operators
        // Their connections are kept, and one may be that of an earlier life.
        .filter(({ lack }) => lack === null || lack === 'out of time')
        .flatMap(line => wrongWith(`${line.method} ${line.path}`, line, evidence)),
    ];
  },
};

function wrongWith(what: string, line: AnswerLine, evidence: Evidence): string[] {
  const { status, lack, node, life, error, retryAfter, sentAt, at } = line;
  if (lack !== null)
    return couldAnswer(line, evidence)
      ? [`${what} of ${sentAt} ms got no answer of node ${node} (${lack}, after ${at - sentAt} ms).`]
      : [];
  const said = `${what} was answered with ${status} by node ${node}, in its life ${life}`;
  if (error === null) return [];
  const code = codeIn(error);
  if (code === null) return [`${said}, without the envelope: ${error.slice(0, 200)}.`];
  if (status === null || status < 500) return [];
  if (status !== 503 || code !== 'storage_unavailable') return [`${said} and “${code}”.`];
  return /^[1-9]\d*$/.test(retryAfter ?? '') ? [] : [`${said}, and it is not told when to come again.`];
}

/** The code of a refusal, where its body is one. */
function codeIn(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown } };
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error.code : null;
  } catch {
    return null;
  }
}
