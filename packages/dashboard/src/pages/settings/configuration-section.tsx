import { Anchor, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { MOST_DOCUMENT_LENGTH } from '@sluice/contract/dashboard-configuration';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { asCallError, CallError, call } from '../../lib/api/call.ts';
import { formatNumber } from '../../lib/format.ts';
import { useMay } from '../../lib/session.tsx';
import { ConfigurationReview } from './configuration-review.tsx';
import { saveFile } from './save-file.ts';

const GUIDE = '/docs/guide/configuration-file';

/** Sources, destinations and pipelines as one file: downloaded, and applied again here or elsewhere. */
export function ConfigurationSection() {
  const mayApply = useMay()('configuration.apply');
  return (
    <Stack gap="md">
      <Download />
      {mayApply && <Upload />}
    </Stack>
  );
}

function Download() {
  const [error, setError] = useState<CallError | null>(null);
  const download = async () => {
    setError(null);
    try {
      const { document } = await call('GET /configuration/file', {});
      saveFile('sluice.yaml', new Blob([document], { type: 'application/yaml' }));
    } catch (problem) {
      setError(asCallError(problem));
    }
  };
  return (
    <Card
      title="Download"
      lead={
        <>
          All sources, destinations and pipelines as one YAML file, without secrets.{' '}
          <Anchor size="sm" href={GUIDE} target="_blank" rel="noreferrer">
            File format
          </Anchor>
        </>
      }
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => void download()}
        >
          Download YAML
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void download()} />}
    </Card>
  );
}

function Upload() {
  const [text, setText] = useState('');
  /** What the review is of; null until somebody asks for it. */
  const [reviewed, setReviewed] = useState<string | null>(null);
  const [applied, setApplied] = useState<string | null>(null);
  const [error, setError] = useState<CallError | null>(null);

  const take = async (file: File | null) => {
    if (file === null) return;
    setReviewed(null);
    setError(null);
    if (file.size > MOST_DOCUMENT_LENGTH) {
      setError(new CallError(0, 'payload_too_large', 'A file may have at most 512 KiB.', null));
      return;
    }
    const read = await file.text();
    setText(read);
    setReviewed(read);
  };

  return (
    <>
      {/* A file that is pasted may hold anything: it is not kept. */}
      <LeaveGuard isUnsaved={() => text !== '' && text !== applied} />
      <Card
        title="Upload"
        lead="Review what a file would change, then apply all of it or nothing."
        actions={
          <FileButton onChange={file => void take(file)} accept=".yaml,.yml,application/yaml,text/yaml">
            {button => (
              <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} {...button}>
                Choose file
              </Button>
            )}
          </FileButton>
        }
      >
        <Stack gap="sm">
          <Textarea
            label="File"
            description="Choose a file, or paste it here."
            placeholder={'sluice: 1\nsources:\n  Shop:\n    kind: webhook'}
            autosize
            minRows={5}
            maxRows={18}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
            value={text}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              setReviewed(null);
            }}
          />
          {error && <ErrorNotice error={error} />}
          <Group gap="xs">
            <Button disabled={text.trim() === '' || reviewed === text} onClick={() => setReviewed(text)}>
              Review changes
            </Button>
            {text !== '' && (
              <Text size="xs" c="dimmed">
                {formatNumber(text.split('\n').length)} lines
              </Text>
            )}
          </Group>
        </Stack>
      </Card>
      {reviewed !== null && (
        <ConfigurationReview key={reviewed} document={reviewed} onApplied={() => setApplied(reviewed)} />
      )}
    </>
  );
}
