import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './copy.module.css';

/** Texts that are there to be copied. */

export function CopyIcon({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    <CopyButton value={text} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'water' : 'gray'}
            onClick={copy}
            aria-label={copied ? 'Copied' : label}
          >
            {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A text on one line that is there to be copied: a URL, an id. */
export function CopyText({ text, label }: { text: string; label?: string }) {
  return (
    <Group gap={4} wrap="nowrap" className={classes.line}>
      <Text span className={`mono ${classes.text}`}>
        {text}
      </Text>
      <CopyIcon text={text} {...(label === undefined ? {} : { label })} />
    </Group>
  );
}

/** Something to paste into a terminal. */
export function Command({ text }: { text: string }) {
  return (
    <div className={classes.command}>
      {/* It scrolls, so the keyboard must be able to reach it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keys */}
      <pre className="mono" tabIndex={0}>
        {text}
      </pre>
      <CopyIcon text={text} label="Copy command" />
    </div>
  );
}
