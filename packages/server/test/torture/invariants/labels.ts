import { DEFAULT_MOOD, MOODS } from '../model.ts';
import type { Invariant } from './evidence.ts';

export const labelsAreGiven: Invariant = {
  name: 'labels',
  promise: 'A label is one that the model gave to that event, or the default: none is invented.',
  broken({ logs }) {
    const given = new Set(logs.model.map(({ payloadId, label }) => `${payloadId} ${label}`));
    return logs.receivers.flatMap(({ receiver, body }) => {
      if (receiver !== 'good') return [];
      const { payload } = JSON.parse(body) as { payload: { id?: string; route?: string; mood?: string } };
      if (payload.route !== 'mood' || payload.mood === DEFAULT_MOOD) return [];
      const isKnown = (MOODS as readonly (string | undefined)[]).includes(payload.mood);
      return isKnown && given.has(`${payload.id} ${payload.mood}`)
        ? []
        : [`${payload.id} is called ${payload.mood}, which the model did not say.`];
    });
  },
};
