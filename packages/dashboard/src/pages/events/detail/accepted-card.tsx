import { Anchor, Text } from '@mantine/core';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { CopyText } from '../../../components/copy.tsx';
import { Disclosure } from '../../../components/disclosure.tsx';
import { ExactTime } from '../../../components/exact-time.tsx';
import facts from '../../../components/facts.module.css';
import { entityPage } from '../../../lib/entity-path.ts';

/** Where an event came from, when, and which entity it is about. */
export function AcceptedCard({ event }: { event: EventRecord }) {
  const { sources, entity, sender_id, received_at, timestamp } = event;
  return (
    <>
      <Text fw={600} mb={4}>
        Accepted
      </Text>
      <dl className={facts.facts}>
        <dt>Received</dt>
        <dd>
          <ExactTime at={received_at} />
        </dd>
        {timestamp !== received_at && (
          <>
            <dt>Occurred</dt>
            <dd>
              <ExactTime at={timestamp} />
            </dd>
          </>
        )}
        <dt>{sources.length > 1 ? 'Sources' : 'Source'}</dt>
        <dd>
          {sources.length === 0 && (event.state === 'accepted' ? 'not matched yet' : 'no match')}
          {sources.map(({ id, name }, i) => (
            <span key={id}>
              {i > 0 && ', '}
              <Anchor component={Link} to={`/sources/${id}`} size="sm">
                {name}
              </Anchor>
            </span>
          ))}
        </dd>
        {entity && (
          <>
            <dt>Entity</dt>
            <dd>
              <Anchor component={Link} to={entityPage(entity)} size="sm">
                {entity.kind}:{entity.external_id}
              </Anchor>
            </dd>
          </>
        )}
        {sender_id !== null && (
          <>
            <dt>Sender’s id</dt>
            <dd className="mono">{sender_id}</dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <CopyText text={event.id} label="Copy id" />
        </dd>
      </dl>
      {event.headers !== undefined && <Headers headers={event.headers} />}
    </>
  );
}

/** What its webhook came with; credentials and signatures are not kept. */
function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const names = Object.keys(headers).sort();
  if (names.length === 0) return null;
  return (
    <Disclosure summary={<Text size="sm">Received headers ({names.length})</Text>}>
      <dl className={facts.facts}>
        {names.map(name => (
          <Fragment key={name}>
            <dt className="mono">{name}</dt>
            <dd className="mono">{headers[name]}</dd>
          </Fragment>
        ))}
      </dl>
    </Disclosure>
  );
}
