import type { Invariant } from './evidence.ts';

export const versionsAreSeen: Invariant = {
  name: 'versions',
  promise: 'Each event shows the version of the pipeline that it went through.',
  broken({ logs, deliveries }) {
    const revisions = new Map(
      logs.final.flatMap(line =>
        line.kind === 'version' ? [[`${line.pipeline} ${line.version}`, line.revision] as const] : [],
      ),
    );
    return logs.receivers.flatMap(({ delivery, body }) => {
      const found = delivery === null ? undefined : deliveries.get(delivery);
      const run = found?.event.runs.find(({ id }) => id === found.delivery.run);
      const revision = run && revisions.get(`${run.pipeline} ${run.version}`);
      if (revision === undefined) return [];
      const { payload } = JSON.parse(body) as { payload: { version?: number } };
      return payload.version === revision
        ? []
        : [`${delivery} brought revision ${payload.version}; its run shows ${revision}.`];
    });
  },
};
