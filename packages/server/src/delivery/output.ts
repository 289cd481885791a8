import { type JsonObject, parseJson, stringifyJson } from '../core/json.ts';

const OPENING = '{"payload":';
const NO_LABELS = ',"labels":{}}';

/**
 * What a pipeline left of an event, taken apart. Most have no labels, and then the payload is handed on as the very
 * text it is stored as: nothing is read and written again only to be sent.
 */
export function readOutput(output: string): { readonly payload: string; readonly labels: JsonObject } {
  if (output.startsWith(OPENING) && output.endsWith(NO_LABELS)) {
    return { payload: output.slice(OPENING.length, -NO_LABELS.length), labels: {} };
  }
  const { payload, labels } = parseJson(output) as { payload: JsonObject; labels: JsonObject };
  return { payload: stringifyJson(payload), labels };
}
