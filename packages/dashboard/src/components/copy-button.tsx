import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** A button with words that copies a text. */
export function CopyButtonWith(props: { text: string; label: string; icon?: ReactNode; size?: string }) {
  return (
    <CopyButton value={props.text} timeout={1_500}>
      {({ copied, copy }) => (
        <Button
          size={props.size ?? 'compact-xs'}
          variant="default"
          onClick={copy}
          leftSection={
            copied ? <IconCheck size={14} aria-hidden /> : (props.icon ?? <IconCopy size={14} aria-hidden />)
          }
        >
          {copied ? 'Copied' : props.label}
        </Button>
      )}
    </CopyButton>
  );
}
