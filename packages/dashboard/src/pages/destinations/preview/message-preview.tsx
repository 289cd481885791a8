import { Fieldset, Loader, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { MessagePreview as PreviewRecord } from '@sluice/contract/dashboard-test-events';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { shortened } from '../../../components/kind-form/problems.ts';
import type { Config } from '../../../components/kind-form/schema.ts';
import { LeaveGuard } from '../../../components/leave-guard.tsx';
import { EventChoice } from '../../../components/test-event/event-choice.tsx';
import { isWritten, readEvent, type TrialEvent } from '../../../components/test-event/trial-event.ts';
import { CallError, call } from '../../../lib/api/call.ts';
import { parseExact, stringifyExact } from '../../../lib/api/exact-json.ts';
import type { GivenTo } from '../../../lib/api/path.ts';
import { useCall } from '../../../lib/api/use-call.ts';
import { dropDraft, useKeptDraft } from '../../../lib/kept-draft.ts';
import { DiscordPreview, SlackPreview, TelegramPreview } from './chat-messages.tsx';
import { MailPreview } from './mail-message.tsx';

type PreviewBody = GivenTo<'POST /destinations/preview'>['body'];

const PAUSE_MS = 400;
/** What makes up a message: nothing else of a draft is sent, its secrets least of all. */
const FIELDS = ['text', 'subject', 'body', 'link'];

type Chosen = TrialEvent | 'newest' | null;
const isWorthKeeping = (chosen: Chosen): boolean => chosen !== 'newest' && isWritten(chosen);

/** The message that this draft would send, with the newest event or another one, as its readers will see it. */
export default function MessagePreview(props: {
  /** Under which an event that is written for it is kept. */
  draftName: string;
  /** The page may be left. */
  isDone(): boolean;
  kind: string;
  id?: string | undefined;
  config: Config;
}) {
  const { draftName, kind, id, config } = props;
  const { draft: chosen, change } = useKeptDraft<Chosen>(draftName, 'newest', {
    isFirst: true,
    isChanged: isWorthKeeping,
    withoutSecrets: one => one,
  });
  const newest = useCall('GET /events', { limit: 1 });
  const [first] = newest.data ?? [];
  const event = chosen !== 'newest' ? chosen : first ? ({ kind: 'recent', id: first.id } as const) : null;
  const given = event === null ? null : readEvent(event);
  const shown = Object.fromEntries(FIELDS.flatMap(name => (name in config ? [[name, config[name]]] : [])));
  const body = stringifyExact({ kind, config: shown, id, ...(given?.kind === 'event' ? given.body : {}) }, 0);
  const [settled] = useDebouncedValue(body, PAUSE_MS);
  const { data, error, isFetching } = useQuery<PreviewRecord, CallError>({
    queryKey: ['preview', settled],
    queryFn: () => call('POST /destinations/preview', { body: parseExact(settled) as PreviewBody }),
    enabled: !newest.isPending && given?.kind !== 'broken' && settled === body,
    placeholderData: keepPreviousData,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const problem = given?.kind === 'broken' ? given.error : error;
  return (
    <Fieldset legend="Preview" bg="transparent">
      <Stack gap="sm">
        <LeaveGuard
          isUnsaved={() => isWorthKeeping(chosen) && !props.isDone()}
          isKept
          onLeave={() => dropDraft(draftName)}
        />
        <EventChoice event={event} onEvent={chosen => change(() => chosen)} />
        {event === null && (
          <Text size="sm" c="dimmed">
            Shown with a test event.
          </Text>
        )}
        {problem && <ErrorNotice error={brief(problem)} />}
        {!problem && data && <Drawn preview={data} config={config} />}
        {isFetching && !data && <Loader size="xs" role="status" aria-label="Rendering" />}
      </Stack>
    </Fieldset>
  );
}

/** The field stands below the sentence. */
const brief = ({ status, code, message, path }: CallError): CallError =>
  new CallError(status, code, path === null ? message : shortened(message, path), path);

function Drawn({ preview, config }: { preview: PreviewRecord; config: Config }) {
  switch (preview.format) {
    case 'slack':
      return <SlackPreview message={preview.message} />;
    case 'discord':
      return <DiscordPreview message={preview.message} />;
    case 'telegram':
      return <TelegramPreview message={preview.message} />;
    case 'email':
      return <MailPreview message={preview.message} from={config.from} to={config.to} />;
  }
}
