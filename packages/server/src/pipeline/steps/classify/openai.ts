import { getPath } from '../../../core/expressions/path.ts';
import type { Json } from '../../../core/json/json.ts';
import { instructionsOf, type ModelWire, readText, schemaOf } from './wire.ts';

/** Chat completions, as OpenAI and the many servers that are compatible with it speak them. */
export const openai: ModelWire = {
  defaultBaseUrl: 'https://api.openai.com/v1',

  request: question => ({
    url: `${question.baseUrl}/chat/completions`,
    headers: authorise(question.apiKey),
    body: {
      model: question.model,
      messages: [
        { role: 'system', content: instructionsOf(question) },
        { role: 'user', content: question.payload },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'classification', strict: true, schema: schemaOf(question) },
      },
    },
  }),

  read(body, question) {
    const message = getPath(body, ['choices', 0, 'message']);
    const refusal = ofMessage(message, 'refusal');
    if (typeof refusal === 'string' && refusal !== '')
      return { kind: 'refused', reason: 'The model refused to answer.' };
    const ending = getPath(body, ['choices', 0, 'finish_reason']);
    if (ending === 'content_filter')
      return { kind: 'refused', reason: 'The answer was held back by a content filter.' };
    const content = ofMessage(message, 'content');
    const value = typeof content === 'string' ? readText(content, question, ending === 'length') : undefined;
    return { kind: 'answer', value };
  },
};

/** A server of one's own may ask for no key. */
const authorise = (apiKey: string | null): Record<string, string> =>
  apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };

const ofMessage = (message: Json | undefined, field: string) =>
  message === undefined ? undefined : getPath(message, [field]);
