import { type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';

const OPENING = '{"payload":';
const LABELS = ',"labels":';

/**
 * What a pipeline left of an event, taken apart. The payload is handed on as the very text it is stored as: nothing is
 * read and written again only to be sent.
 */
export function readOutput(output: string): { readonly payload: string; readonly labels: JsonObject } {
  const end = output.lastIndexOf(`${LABELS}{`);
  const labels =
    output.startsWith(OPENING) && end > 0 ? readLabels(output.slice(end + LABELS.length, -1)) : null;
  if (labels !== null) return { payload: output.slice(OPENING.length, end), labels };
  return readWhole(output);
}

/** Labels are texts, in which a quotation mark is escaped: where they begin is not found within one. */
function readLabels(written: string): JsonObject | null {
  try {
    const labels = parseJson(written) as JsonObject;
    return Object.values(labels).every(label => typeof label === 'string') ? labels : null;
  } catch {
    return null;
  }
}

function readWhole(output: string): ReturnType<typeof readOutput> {
  const { payload, labels } = parseJson(output) as { payload: JsonObject; labels: JsonObject };
  return { payload: stringifyJson(payload), labels };
}
