import { Text } from '@mantine/core';
import type { ExchangeRecord } from '@sluice/contract/dashboard-deliveries';
import { formatDuration } from '../../lib/format.ts';
import classes from './attempt-list.module.css';

/** The headers of a response, one on each line. */
export function HeaderLines({ headers }: { headers: Readonly<Record<string, string>> }) {
  return Object.entries(headers).map(([name, value]) => (
    <div key={name}>
      <b>{name}:</b> {value}
    </div>
  ));
}

const phases = [
  ['dns_ms', 'DNS'],
  ['first_byte_ms', 'First byte'],
  ['body_ms', 'Body'],
] as const;

/** What is known of an exchange beside its bodies: how long each phase took, and what the response was headed with. */
export function Exchange({ exchange }: { exchange: ExchangeRecord | null }) {
  if (exchange === null) return null;
  const measured = phases.flatMap(([phase, label]) => {
    const ms = exchange.phases[phase];
    return ms === undefined ? [] : [{ label, ms }];
  });
  return (
    <>
      {measured.length > 0 && (
        <Text size="xs" c="dimmed" className="numbers">
          {measured
            .map(({ label, ms }) => `${label} ${ms === 0 ? '<0.1 ms' : formatDuration(ms)}`)
            .join(' · ')}
        </Text>
      )}
      {Object.keys(exchange.headers).length > 0 && (
        <section className={classes.head} aria-label="Response headers">
          <HeaderLines headers={exchange.headers} />
        </section>
      )}
    </>
  );
}
