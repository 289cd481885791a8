import { getPath } from '../../../core/path.ts';
import { instructionsOf, schemaOf, type Wire } from './wire.ts';

/** The label is a tool's only argument, and the model must use that tool: every model that has tools can. */
const TOOL = 'record_classification';

/** Messages, as Anthropic speaks them. */
export const anthropic: Wire = {
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

  read(body, { label }) {
    if (getPath(body, ['stop_reason']) === 'refusal')
      return { kind: 'refused', reason: 'The model refused to answer.' };
    const content = getPath(body, ['content']);
    const use = Array.isArray(content)
      ? content.find(block => getPath(block, ['type']) === 'tool_use' && getPath(block, ['name']) === TOOL)
      : undefined;
    return { kind: 'answer', value: use === undefined ? undefined : getPath(use, ['input', label]) };
  },
};
