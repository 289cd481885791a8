import { SegmentedControl } from '@mantine/core';
import type { EmailMessage } from '@sluice/contract/dashboard-test-events';
import { useMemo, useState } from 'react';
import { nonce } from '../../../lib/nonce.ts';
import { mailDocument } from './mail-document.ts';
import classes from './preview.module.css';

/** A mail as mail programs draw it: with its HTML where it has any, and as plain text. */
export function MailPreview(props: { message: EmailMessage; from: unknown; to: unknown }) {
  const { subject, text, html } = props.message;
  const [part, setPart] = useState('html');
  const drawn = useMemo(() => (html === null ? null : mailDocument(html, nonce())), [html]);
  const isHtml = drawn !== null && part === 'html';
  return (
    <div className={classes.mail}>
      <div className={classes.mailHead}>
        <p className={classes.subject}>{subject}</p>
        <p className={classes.context}>
          {typeof props.from === 'string' && props.from !== '' ? props.from : 'sluice@example.com'} to{' '}
          {Array.isArray(props.to) && props.to.length > 0 ? props.to.join(', ') : 'team@example.com'}
        </p>
        {drawn !== null && (
          <SegmentedControl
            size="xs"
            mt={6}
            aria-label="Part of the email"
            value={part}
            onChange={setPart}
            data={[
              { value: 'html', label: 'HTML' },
              { value: 'text', label: 'Plain text' },
            ]}
          />
        )}
      </div>
      {isHtml ? (
        <iframe className={classes.frame} title="Email" sandbox="" srcDoc={drawn} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keys
        <pre className={classes.plain} tabIndex={0}>
          {text}
        </pre>
      )}
    </div>
  );
}
