import { Stack } from '@mantine/core';
import type { StoppedRunRecord } from '@sluice/contract/dashboard-pipelines';
import { DueTime } from '../../../components/relative-time.tsx';
import { RunHead } from './run-head.tsx';
import { StepLines } from './step-line.tsx';
import { TryList } from './try-list.tsx';

/** A run that waits to be tried again: where it stopped, what each attempt came to, and the steps before it. */
export function StoppedRunCard({ run }: { run: StoppedRunRecord }) {
  return (
    <Stack gap="sm">
      <RunHead
        pipeline={run.pipeline}
        state="retrying"
        when={
          <>
            Next attempt <DueTime at={run.until} />
          </>
        }
      />
      <StepLines run={run} showsChanges />
      <TryList tries={run.tries} step={run.step} />
    </Stack>
  );
}
