import { Text } from '@mantine/core';
import type { DryRunRecord } from '@sluice/contract/dashboard-pipelines';
import classes from './model-answer.module.css';

/** What a model answered in place of a label, as far as it was kept. */
export function ModelAnswer({ answer }: { answer: DryRunRecord['answer'] }) {
  if (answer === null) return null;
  return (
    <div>
      <Text size="xs" fw={600} c="dimmed" mt={4}>
        Model response{answer.status === null ? '' : `, status ${answer.status}`}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so must be reached by keyboard */}
      <pre className={classes.answer} tabIndex={0}>
        {answer.body === null
          ? 'Only the responses of later attempts were kept.'
          : answer.body || 'Empty response.'}
      </pre>
    </div>
  );
}
