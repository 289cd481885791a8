import { getPath } from '../../../core/expressions/path.ts';
import type { Json } from '../../../core/json/json.ts';
import { instructionsOf, type ModelWire, readAnswer, readText, schemaOf } from './wire.ts';

/** The label is a tool's only argument, and the model must use that tool: every model that has tools can. */
const TOOL = 'record_classification';

/** Messages, as Anthropic speaks them. */
export const anthropic: ModelWire = {
  defaultBaseUrl: 'https://api.anthropic.com',

  request: question => ({
    url: `${question.baseUrl}/v1/messages`,
    headers: {
      'anthropic-version': '2023-06-01',
      ...(question.apiKey === null ? {} : { 'x-api-key': question.apiKey }),
    },
    body: {
      model: question.model,
      max_tokens: 1_024,
      system: instructionsOf(question),
      messages: [{ role: 'user', content: question.payload }],
      tools: [
        {
          name: TOOL,
          description: 'Records the label of the document.',
          input_schema: schemaOf(question),
        },
      ],
      tool_choice: { type: 'tool', name: TOOL },
    },
  }),

  read(body, question) {
    const ending = getPath(body, ['stop_reason']);
    if (ending === 'refusal') return { kind: 'refused', reason: 'The model refused to answer.' };
    const content = getPath(body, ['content']);
    const blocks = Array.isArray(content) ? content : [];
    const uses = blocksOf(blocks, 'tool_use');
    const use = uses.find(block => getPath(block, ['name']) === TOOL);
    if (use !== undefined) return { kind: 'answer', value: readAnswer(getPath(use, ['input']), question) };
    const texts = uses.length === 0 ? blocksOf(blocks, 'text').map(block => getPath(block, ['text'])) : [];
    const text = texts.filter(part => typeof part === 'string').join('');
    return { kind: 'answer', value: readText(text, question, ending === 'max_tokens') };
  },
};

const blocksOf = (blocks: readonly Json[], type: string): Json[] =>
  blocks.filter(block => getPath(block, ['type']) === type);
