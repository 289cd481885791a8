import { afterEach, describe, expect, test } from 'bun:test';
import { emailDestination } from '../../../src/delivery/destinations/email.ts';
import {
  destinationDeps,
  payloadText,
  prepareFrom,
  refusalOf,
  sampleDelivery,
} from '../../support/delivery.ts';
import { guardedClient } from '../../support/guarded-client.ts';
import { startRawReceiver } from '../../support/receiver.ts';
import { type MailServer, type MailServerOptions, startMailServer } from '../../support/smtp.ts';
import { createAuthority } from '../../support/tls.ts';

const authority = createAuthority();
const certificate = authority.certify(['mail.test']);
const deps = destinationDeps({ ca: authority.ca });

let server: MailServer | undefined;
afterEach(async () => server?.stop());

async function start(options: Partial<MailServerOptions> = {}) {
  server = await startMailServer({ certificate, ...options });
  const config = {
    host: 'mail.test',
    port: server.port,
    security: options.implicitTls ? 'tls' : 'starttls',
    from: 'Sluice <sluice@example.com>',
    to: ['team@example.com'],
  };
  return { server, config };
}

/** Headers and body of a mail, with quoted-printable undone where it is whole. */
const unfold = (raw: string): string =>
  raw
    .replace(/\r\n[ \t]/g, ' ')
    .replace(/=\r\n/g, '')
    .replace(/(=[0-9A-F]{2})+/g, text => decodeURIComponent(text.replaceAll('=', '%')));
const headerOf = (raw: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(raw.replace(/\r\n[ \t]/g, ' '))?.[1]?.trim() ?? '';
const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, (_whole, encoding: string, word: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : decodeURIComponent(word.replaceAll('_', ' ').replaceAll('=', '%')),
    );

describe('a mail', () => {
  test('goes out encrypted with STARTTLS and shows the event as text and as a table', async () => {
    const { server, config } = await start();
    const result = await prepareFrom(emailDestination, config, deps).send(sampleDelivery());
    expect(result).toMatchObject({ outcome: 'delivered', status: 250 });
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from: 'sluice@example.com', to: ['team@example.com'], isEncrypted: true });
    const raw = mail?.raw ?? '';
    expect(decodeWords(headerOf(raw, 'Subject'))).toBe('🧾 order.paid');
    expect(headerOf(raw, 'X-Service-Event-Id')).toBe('evt_01JZX6C1D2E3F4G5H6J7K8M9NQ');
    expect(headerOf(raw, 'Message-ID')).toBe('<dlv_01jzx6c1d2e3f4g5h6j7k8m9np@example.com>');
    const body = unfold(raw);
    expect(body).toContain('customer.email: ada@example.com');
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(body).toContain('evt_01JZX6C1D2E3F4G5H6J7K8M9NQ · 2026-01-31 12:00:00 UTC · Shop');
    expect(body.split('<html>')[1]).not.toContain('<script>');
  });

  test('goes out over TLS from the first byte, to everybody, with what somebody wrote', async () => {
    const { server, config } = await start({ implicitTls: true });
    const own = {
      ...config,
      to: ['team@example.com', 'Boss <boss@example.com>'],
      subject: 'Order {{payload.id}}',
      body: 'From {{payload.customer.email}}',
    };
    expect(await prepareFrom(emailDestination, own, deps).send(sampleDelivery())).toMatchObject({
      outcome: 'delivered',
    });
    const [mail] = server.mails;
    expect(mail?.to).toEqual(['team@example.com', 'boss@example.com']);
    expect(mail?.isEncrypted).toBe(true);
    expect(headerOf(mail?.raw ?? '', 'Subject')).toBe('Order 9007199254740993');
    expect(mail?.raw).toContain('\r\n\r\nFrom ada@example.com');
    expect(mail?.raw).not.toContain('<html>');
  });

  test('goes out in the clear only where that is asked for', async () => {
    const { server, config } = await start({ offersStartTls: false });
    expect(await prepareFrom(emailDestination, config, deps).send(sampleDelivery())).toMatchObject({
      code: 'tls_invalid',
    });
    expect(server.mails).toEqual([]);
    const plain = prepareFrom(emailDestination, { ...config, security: 'none' }, deps);
    expect(await plain.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
    expect(server.mails[0]?.isEncrypted).toBe(false);
  });

  test('is signed in for, and no record holds the password', async () => {
    const { server, config } = await start({ password: 'canary' });
    const known = { ...config, user: 'ada', password: 'canary' };
    const sent = await prepareFrom(emailDestination, known, deps).send(sampleDelivery());
    expect(sent).toMatchObject({ outcome: 'delivered' });
    expect(server.mails[0]?.user).toBe('ada');
    const wrong = await prepareFrom(emailDestination, { ...known, password: 'canary2' }, deps).send(
      sampleDelivery(),
    );
    expect(wrong).toMatchObject({ outcome: 'failed', code: 'rejected_by_destination', status: 535 });
    expect(JSON.stringify([sent, wrong])).not.toContain('canary');
  });

  test('cannot be given headers or recipients by what is in an event', async () => {
    const { server, config } = await start();
    const evil = 'Hello\r\nBcc: victim@example.com\r\n\r\nbody\u2028x';
    const delivery = sampleDelivery({ payload: payloadText({ evil }) });
    const own = { ...config, subject: '{{payload.evil}}', body: '{{payload.evil}}' };
    expect(await prepareFrom(emailDestination, own, deps).send(delivery)).toMatchObject({
      outcome: 'delivered',
    });
    const event = { ...delivery.event, type: evil };
    expect(await prepareFrom(emailDestination, config, deps).send({ ...delivery, event })).toMatchObject({
      outcome: 'delivered',
    });
    for (const { raw, to } of server.mails) {
      const [head = ''] = raw.split('\r\n\r\n');
      expect(head).not.toMatch(/^bcc:/im);
      expect(decodeWords(headerOf(raw, 'Subject'))).toContain('Hello Bcc: victim@example.com body x');
      expect(to).toEqual(['team@example.com']);
    }
  });

  test('of two templates that look like files or URLs reads neither', async () => {
    const { server, config } = await start();
    const own = { ...config, body: '{{payload.a}}', subject: 'x' };
    const payload = payloadText({ a: 'file:///etc/passwd' });
    await prepareFrom(emailDestination, own, deps).send(sampleDelivery({ payload }));
    expect(server.mails[0]?.raw).toContain('file:///etc/passwd');
  });
});

describe('a mail server', () => {
  test('with a certificate for another name is not trusted', async () => {
    const { server, config } = await start({ certificate: authority.certify(['other.test']) });
    expect(await prepareFrom(emailDestination, config, deps).send(sampleDelivery())).toMatchObject({
      code: 'tls_invalid',
    });
    await server.stop();
    const implicit = await start({ certificate: authority.certify(['other.test']), implicitTls: true });
    expect(await prepareFrom(emailDestination, implicit.config, deps).send(sampleDelivery())).toMatchObject({
      code: 'tls_invalid',
    });
    expect(implicit.server.mails).toEqual([]);
  });

  test('that refuses says why', async () => {
    const { config } = await start({ refuse: () => ({ code: 550, message: 'No such user here' }) });
    expect(await prepareFrom(emailDestination, config, deps).send(sampleDelivery())).toMatchObject({
      code: 'rejected_by_destination',
      status: 550,
      response: expect.stringContaining('No such user here'),
    });
  });

  test('that refuses one of several recipients is said to have', async () => {
    const refuse = (recipient: string) =>
      recipient === 'gone@example.com' ? { code: 550, message: 'Gone' } : null;
    const { config } = await start({ refuse });
    const to = ['team@example.com', 'gone@example.com'];
    expect(await prepareFrom(emailDestination, { ...config, to }, deps).send(sampleDelivery())).toMatchObject(
      {
        outcome: 'delivered',
        response: expect.stringContaining('gone@example.com'),
      },
    );
  });

  test('that finds the mail too large says so', async () => {
    const { config } = await start({ mostBytes: 1_000 });
    const payload = payloadText({ a: 'x'.repeat(5_000) });
    const own = { ...config, body: '{{payload.a}}' };
    expect(await prepareFrom(emailDestination, own, deps).send(sampleDelivery({ payload }))).toMatchObject({
      code: 'too_large',
      status: 552,
    });
  });

  test('that hangs, hangs up, or is none', async () => {
    const outcome = async (handle: Parameters<typeof startRawReceiver>[0]) => {
      const raw = await startRawReceiver(handle);
      const config = {
        host: 'mail.test',
        port: raw.port,
        security: 'none',
        from: 'a@b.test',
        to: ['c@d.test'],
      };
      const result = await prepareFrom(emailDestination, config, deps).send(
        sampleDelivery({ timeoutMs: 300 }),
      );
      await raw.stop();
      return result.outcome === 'failed' ? result.code : result;
    };
    expect(await outcome(() => {})).toBe('timeout');
    expect(await outcome(socket => socket.write('220 hello\r\n'))).toBe('timeout');
    expect(await outcome(socket => socket.resetAndDestroy())).toBe('connection_reset');
    expect(await outcome(socket => socket.end())).toBe('connection_reset');
    expect(await outcome(socket => socket.end('HTTP/1.1 200 OK\r\n\r\n'))).toBe('bad_response');
    const gone = await startRawReceiver(() => {});
    await gone.stop();
    const config = {
      host: 'mail.test',
      port: gone.port,
      security: 'none',
      from: 'a@b.test',
      to: ['c@d.test'],
    };
    expect(await prepareFrom(emailDestination, config, deps).send(sampleDelivery())).toMatchObject({
      code: 'connection_refused',
    });
  });

  test('at a private address is never connected to', async () => {
    const { server, config } = await start();
    const strict = destinationDeps({ client: guardedClient({ allow: [] }), ca: authority.ca });
    for (const host of ['mail.test', '127.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const result = await prepareFrom(emailDestination, { ...config, host }, strict).send(sampleDelivery());
      expect(result).toMatchObject({ code: 'address_not_allowed' });
      expect(await refusalOf(emailDestination, { ...config, host }, strict)).toMatchObject({
        at: '400 config.host',
      });
    }
    expect(server.sessions()).toBe(0);
  });
});

describe('email', () => {
  test('runs its examples', async () => {
    for (const { config } of emailDestination.examples) {
      const { server, config: here } = await start({
        implicitTls: config.security === 'tls',
        ...(config.password === undefined ? {} : { password: config.password }),
      });
      const destination = prepareFrom(
        emailDestination,
        { ...config, host: here.host, port: here.port },
        deps,
      );
      expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
      await server.stop();
    }
  });

  const cases: [object, string][] = [
    [{ subject: 'Hi\r\nBcc: x@y.test' }, '400 config.subject'],
    [{ from: 'a@b.test\r\nBcc: x@y.test' }, '400 config.from'],
    [{ to: ['a@b.test\nx'] }, '400 config.to[0]'],
    [{ to: ['a@b.test, c@d.test'] }, '400 config.to[0]'],
    [{ to: ['nobody'] }, '400 config.to[0]'],
    [{ to: [] }, '400 config.to'],
    [{ host: 'mail.test\r\nx' }, '400 config.host'],
    [{ host: 'mail.test/x' }, '400 config.host'],
    [{ port: 0 }, '400 config.port'],
    [{ security: 'ssl' }, '400 config.security'],
    [{ password: 'x' }, '400 config.user'],
    [{ subject: '{{ payload. }}' }, '400 config.subject'],
  ];
  for (const [over, at] of cases) {
    test(`is refused when saved with ${JSON.stringify(over)}`, async () => {
      const good = { host: 'mail.test', port: 587, security: 'starttls', from: 'a@b.test', to: ['c@d.test'] };
      expect(await refusalOf(emailDestination, good)).toBeNull();
      expect(await refusalOf(emailDestination, { ...good, ...over })).toMatchObject({ at });
    });
  }
});
