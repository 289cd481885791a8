import { Problem } from '../core/errors.ts';
import type { PeerOf } from '../runtime/http.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { toProblem, toResponse } from './problem.ts';

/** Wraps an ingest endpoint: POST only, every outcome counted, every refusal in the envelope. */
export function guardEndpoint(
  endpoint: 'ingest' | 'webhook',
  dependencies: { metrics: Metrics; logger: Logger; isStopping(): boolean },
  handle: (request: Request, token: string, peerOf?: PeerOf) => Promise<Response>,
  /** What any other method is answered; null: it is not allowed. */
  answerOther: (request: Request, token: string, peerOf?: PeerOf) => Promise<Response | null> = async () =>
    null,
) {
  return async (request: Request, token = '', peerOf?: PeerOf): Promise<Response> => {
    let response: Response;
    try {
      const other = request.method === 'POST' ? undefined : await answerOther(request, token, peerOf);
      if (other === null) throw new Problem('method_not_allowed', { allow: 'POST' });
      if (dependencies.isStopping()) {
        throw new Problem('storage_unavailable', {
          message: 'This process is stopping; retry.',
          retryAfter: 1,
        });
      }
      response = other ?? (await handle(request, token, peerOf));
    } catch (error) {
      const problem = isCutOff(error) ? cutOff() : toProblem(error);
      if (problem.code === 'internal')
        dependencies.logger.error({ err: error, endpoint }, 'an endpoint failed');
      response = toResponse(problem);
    }
    dependencies.metrics.answered(endpoint, response.status);
    return response;
  };
}

/** The sender left in the middle of the body. That is no fault of ours, and nobody is there to read the answer. */
const isCutOff = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
const cutOff = () => new Problem('invalid_json', { message: 'The connection ended before the body did.' });
