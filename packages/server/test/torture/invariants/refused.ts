import type { EvidentRequest, Invariant } from './evidence.ts';

const isRefusal = (status: number | null): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 429;

export const refusedIsAbsent: Invariant = {
  name: 'refused',
  promise: 'What is wrong is refused and none of it exists; nothing is refused that is right.',
  broken: ({ requests, eventsByType, living }) =>
    requests
      .filter(({ sent }) => living.has(sent.organisation))
      .flatMap(request =>
        request.sent.isValid ? refusedThoughRight(request) : taken(request, eventsByType),
      ),
};

const refusedThoughRight = ({ sent, answers }: EvidentRequest): string[] =>
  answers
    .filter(({ status }) => isRefusal(status))
    .map(({ status }) => `Request ${sent.request} was right, and refused with ${status}.`);

const taken = ({ sent, answers }: EvidentRequest, eventsByType: ReadonlyMap<string, unknown>): string[] => [
  ...(answers.some(({ status }) => status === 202)
    ? [`Request ${sent.request} was wrong, and accepted.`]
    : []),
  ...sent.events
    .filter(({ type }) => eventsByType.has(type))
    .map(({ type }) => `${type} was part of a wrong request and is stored.`),
];
