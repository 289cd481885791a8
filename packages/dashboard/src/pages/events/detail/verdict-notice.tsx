import { Alert, type MantineColor } from '@mantine/core';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import { IconAlertTriangle, IconCircleCheck, IconClock, IconFilterOff } from '@tabler/icons-react';
import { useNow } from '../../../components/relative-time.tsx';
import { useStepTitles } from '../../../lib/use-step-titles.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const looks: Readonly<Record<Verdict['tone'], { color: MantineColor; Icon: typeof IconClock }>> = {
  good: { color: 'green', Icon: IconCircleCheck },
  waiting: { color: 'yellow', Icon: IconClock },
  bad: { color: 'red', Icon: IconAlertTriangle },
  quiet: { color: 'gray', Icon: IconFilterOff },
};

/** What became of it, before anything else. */
export function VerdictNotice({ event }: { event: EventRecord }) {
  const { tone, text } = verdictOf(event, useNow(), useStepTitles());
  const { color, Icon } = looks[tone];
  return (
    <Alert color={color} variant="light" icon={<Icon size={20} aria-hidden />} title={text} role="status" />
  );
}
