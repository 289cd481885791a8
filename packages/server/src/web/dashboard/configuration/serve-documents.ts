import { parseJson, stringifyJson } from '../../../core/json/json.ts';
import type { DocumentCall, DocumentReply } from './document-thread.ts';
import { readYaml, writeYaml } from './yaml-text.ts';

/** What the thread makes of a call. */
export function answerDocumentCall(message: DocumentCall): DocumentReply {
  const { call } = message;
  if (message.kind === 'write') {
    const { json, marks, comment } = message;
    return { call, kind: 'written', text: writeYaml(parseJson(json), marks, comment) };
  }
  const read = readYaml(message.text);
  if ('problems' in read) return { call, kind: 'problems', problems: read.problems };
  const { value, ...rest } = read;
  return { call, kind: 'read', json: stringifyJson(value), ...rest };
}
