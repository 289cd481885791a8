import { type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';

const OPENING = '{"payload":';
const LABELS = ',"labels":';
/** Labels are texts; ones with braces in them are rare, and read the slow way. */
const FLAT = /^\{[^{}]*\}$/;

/**
 * What a pipeline left of an event, taken apart. The payload is handed on as the very text it is stored as: nothing is
 * read and written again only to be sent.
 */
export function readOutput(output: string): { readonly payload: string; readonly labels: JsonObject } {
  const end = output.lastIndexOf(`${LABELS}{`);
  const written = output.slice(end + LABELS.length, -1);
  if (output.startsWith(OPENING) && end > 0 && FLAT.test(written)) {
    return { payload: output.slice(OPENING.length, end), labels: parseJson(written) as JsonObject };
  }
  const { payload, labels } = parseJson(output) as { payload: JsonObject; labels: JsonObject };
  return { payload: stringifyJson(payload), labels };
}
