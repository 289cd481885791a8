import { Alert, Button, Group, Popover, Stack, TextInput, UnstyledButton } from '@mantine/core';
import { MOST_CHART_DAYS } from '@sluice/contract/chart-window';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { spanNames, spans } from '../../lib/spans.ts';
import { fromTimeInput, toTimeInput } from '../../lib/time-display.ts';
import classes from './overview.module.css';
import { addressOfRange, type Between, describeRange, type Range } from './ranges.ts';

/** How far back the overview looks, or from when to when; and the way back from what was zoomed into. */
export function RangePicker({ range }: { range: Range }) {
  return (
    <>
      {range.between && (
        <Button
          variant="default"
          size="compact-md"
          renderRoot={props => (
            <Link {...props} to="." search={addressOfRange({ ...range, between: null })} />
          )}
        >
          Reset zoom
        </Button>
      )}
      <nav className={classes.ranges} aria-label="How far back">
        {spanNames.map(span => (
          <Link
            key={span}
            to="."
            search={addressOfRange({ span, between: null })}
            className={classes.range}
            activeOptions={{ exact: true }}
            aria-current={span === range.span && range.between === null ? 'page' : undefined}
          >
            {spans[span].short}
          </Link>
        ))}
        <CustomRange range={range} />
      </nav>
    </>
  );
}

function CustomRange({ range }: { range: Range }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const apply = (between: Between) => {
    setOpen(false);
    void navigate({ to: '.', search: addressOfRange({ ...range, between }) });
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <UnstyledButton
          className={classes.range ?? ''}
          aria-current={range.between ? 'page' : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {range.between ? describeRange(range) : 'Custom'}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <CustomFields range={range} onApply={apply} />
      </Popover.Dropdown>
    </Popover>
  );
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

function CustomFields({ range, onApply }: { range: Range; onApply(between: Between): void }) {
  const [from, setFrom] = useState(() => toTimeInput(range.between?.from ?? Date.now() - HOUR_MS));
  const [to, setTo] = useState(() => toTimeInput(range.between?.to ?? Date.now()));
  const [problem, setProblem] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const between = { from: Date.parse(fromTimeInput(from)), to: Date.parse(fromTimeInput(to)) };
    // Also where one of them is no moment at all.
    if (!(between.from < between.to)) return setProblem('The end must be later than the start.');
    if (between.to - between.from > MOST_CHART_DAYS * DAY_MS)
      return setProblem(`A range can be ${MOST_CHART_DAYS} days at most.`);
    onApply(between);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <TextInput
          type="datetime-local"
          label="From"
          value={from}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
          required
          withAsterisk={false}
        />
        <TextInput
          type="datetime-local"
          label="To"
          value={to}
          onChange={({ currentTarget }) => setTo(currentTarget.value)}
          required
          withAsterisk={false}
        />
        {problem && (
          <Alert color="red" variant="light" role="alert">
            {problem}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" size="compact-md">
            Apply
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
