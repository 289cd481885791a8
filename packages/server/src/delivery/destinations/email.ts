import type { EmailMessage } from '@sluice/contract/dashboard-test-events';
import type { SendMailOptions } from 'nodemailer';
import { z } from 'zod';
import { invalid } from '../../core/errors.ts';
import { type Composer, type Destination, defineDestination } from '../destination.ts';
import { cardOf } from '../rendering/card.ts';
import { LINK_WORDS, linkField, linkFor } from '../rendering/link.ts';
import { compileMessage, type Rendered, unsent } from '../rendering/message.ts';
import { cutText } from '../rendering/text.ts';
import { htmlBody, textBody } from './email/layout.ts';
import { sendMail } from './email/smtp.ts';

/** A line break in a header would begin another header. */
const oneLine = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\x00-\x1f\x7f]*$/, 'may hold no line breaks or other control characters.');

const address = oneLine(320).regex(
  /^(?:[^<>@]*<[^<>\s@,;]+@[^<>\s@,;]+>|[^<>\s@,;"]+@[^<>\s@,;"]+)$/,
  'must be an email address such as team@example.com or Team <team@example.com>.',
);

const config = z.strictObject({
  host: oneLine(255).meta({ title: 'Mail server', examples: ['smtp.example.com'] }),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .meta({ title: 'Port', examples: [587, 465, 25] }),
  security: z.enum(['none', 'starttls', 'tls']).meta({ title: 'Encryption' }),
  user: oneLine(255).optional().meta({ title: 'User' }),
  password: z.string().min(1).max(1_024).optional().meta({ title: 'Password' }),
  from: address.meta({ title: 'From' }),
  to: z.array(address).min(1).max(50).meta({ title: 'To' }),
  subject: oneLine(1_000).optional().meta({
    title: 'Subject',
    description: 'Use `{{ … }}` to insert values from the event. Default: icon and type.',
  }),
  body: z.string().min(1).max(100_000).optional().meta({
    title: 'Body',
    description:
      'Plain text. Use `{{ … }}` to insert values from the event. Default: a summary of the event.',
  }),
  link: linkField,
});

/** A mail through an SMTP server. */
export const emailDestination = defineDestination({
  name: 'email',
  title: 'Email',
  docs: [
    'Sends each event as an email through your SMTP server.',
    '`starttls` (port 587) and `tls` (port 465) verify the server’s certificate and never fall back to plain text.',
    'Subject and body are templates; without them the email shows the event’s main fields.',
  ].join('\n'),
  config,
  secrets: ['password'],
  examples: [
    {
      title: 'Summary',
      config: {
        host: 'smtp.example.com',
        port: 587,
        security: 'starttls',
        user: 'sluice',
        password: 'secret',
        from: 'Sluice <sluice@example.com>',
        to: ['team@example.com'],
      },
    },
    {
      title: 'A custom text',
      config: {
        host: 'smtp.example.com',
        port: 465,
        security: 'tls',
        from: 'sluice@example.com',
        to: ['team@example.com', 'Boss <boss@example.com>'],
        subject: 'Order {{payload.id}}',
        body: 'A new order of {{payload.customer.email}}.',
      },
    },
  ],
  check: ({ host }, { client }) => client.requireUsableHost(host, 'config.host'),

  composer: composeMail,
  preview: {
    fields: ['subject', 'body', 'link'],
    show: mail => ({ format: 'email', message: shownMail(mail as Mail) }),
  },

  prepare(given, deps): Destination {
    if (given.password !== undefined && given.user === undefined) {
      throw invalid('config.user', 'config.user is required where there is a password.');
    }
    const target = `SMTP ${given.host}:${given.port}`;
    const recipe = { kind: 'email', config: given, composer: composeMail(given) };
    return {
      readsTraits: recipe.composer.readsTraits,
      readsLink: true,
      async send(delivery) {
        const composed = await deps.renderer.render(delivery, recipe);
        if (composed.kind === 'failed') return unsent(target, composed.failure);
        const mail = composed.value;
        const began = performance.now();
        const result = await sendMail(given, mail, delivery, deps);
        const facts = {
          request: {
            target,
            headers: { from: mail.from, to: mail.to.join(', '), subject: mail.subject },
            body: cutText(mail.text, 16 * 1024),
          },
          status: result.status,
          response: result.response,
          durationMs: Math.round(performance.now() - began),
        };
        return result.kind === 'accepted'
          ? { outcome: 'delivered', ...facts }
          : { outcome: 'failed', ...result.failure, retryAfterMs: null, ...facts };
      },
    };
  },
});

interface Mail extends SendMailOptions {
  readonly from: string;
  readonly to: string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

const shownMail = ({ subject, text, html }: Mail): EmailMessage => ({ subject, text, html: html ?? null });

function composeMail(given: z.output<typeof config>): Composer<Rendered<Mail>> {
  const subject = given.subject === undefined ? null : compileMessage(given.subject, 'config.subject');
  const body = given.body === undefined ? null : compileMessage(given.body, 'config.body');
  return {
    readsTraits: (subject?.readsTraits ?? false) || (body?.readsTraits ?? false),
    check() {
      subject?.check();
      body?.check();
    },
    compose(delivery, scope, budget): Rendered<Mail> {
      const card = cardOf(scope);
      const line = subject?.render(scope, budget) ?? { kind: 'rendered' as const, value: card.title };
      if (line.kind === 'failed') return line;
      const link = linkFor(given.link, body === null, scope);
      const text = body?.render(scope, budget) ?? { kind: 'rendered' as const, value: textBody(card, link) };
      if (text.kind === 'failed') return text;
      const ending = body === null || link === null ? '' : `\n\n${LINK_WORDS}: ${link}\n`;
      const mail = {
        from: given.from,
        to: given.to,
        subject: asOneLine(line.value),
        text: `${text.value}${ending}`,
        ...(body === null ? { html: htmlBody(card, link) } : {}),
        // The same for every attempt, so that a mailbox can tell a repetition.
        messageId: `<${delivery.id.toLowerCase()}@${domainOf(given.from)}>`,
        headers: { 'X-Service-Event-Id': delivery.event.id, 'Auto-Submitted': 'auto-generated' },
      };
      return { kind: 'rendered' as const, value: mail };
    },
  };
}

/** What an event brings into a subject cannot begin another header. */
const asOneLine = (text: string): string =>
  cutText(text.replace(/[\x00-\x1f\x7f\u2028\u2029]+/g, ' ').trim() || '(no subject)', 250);

const domainOf = (from: string): string => /@([^<>\s@]+?)>?$/.exec(from)?.[1] ?? 'localhost';
