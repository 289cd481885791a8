import { Readable } from 'node:stream';
import type Mail from 'nodemailer/lib/mailer';
import { NoLongerWanted } from '../../../core/http/outgoing.ts';

/**
 * The last moment at which a mail can be held back: the server has said that it takes the content, and none of it has
 * left. What is not wanted any more then ends with the connection, and a mail whose end never came is none.
 */
export function holdBack<Info>(
  transport: Pick<Mail<Info>, 'use'>,
  isStillWanted: () => Promise<boolean>,
): void {
  transport.use('stream', (mail, done) => {
    mail.message.processFunc(content =>
      Readable.from(onceWanted(content, isStillWanted), { objectMode: false }),
    );
    done();
  });
}

/** Asks when the first of it is read, which is when it is about to be sent. */
async function* onceWanted(content: Readable, isStillWanted: () => Promise<boolean>): AsyncGenerator<Buffer> {
  if (!(await isStillWanted())) throw new NoLongerWanted();
  yield* content as AsyncIterable<Buffer>;
}
