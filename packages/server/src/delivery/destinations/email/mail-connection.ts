import type { Transport } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { messageOf } from '../../../core/errors.ts';
import { createReplyCheck } from './replies.ts';

/** What of the library's connection its types leave out: where it reads, within TLS or without, and where it fails. */
interface Reading {
  readonly allowsAuth: boolean;
  _onData(bytes: Buffer): void;
  _onError(error: Error, code: string, response: false, command: string): void;
}

const Connection = SMTPConnection as unknown as new (
  options: SMTPConnection.Options,
) => SMTPConnection & Reading;

/** The code of an error by which a connection was ended because of what the server said. */
export const TOO_MUCH_SAID = 'ETOOMUCH';

/** A connection that reads nothing but checked replies. */
class CheckedConnection extends Connection {
  #check = createReplyCheck();
  #readFrom: unknown = null;

  override _onData(bytes: Buffer): void {
    if (this._socket !== this.#readFrom) {
      // What came before TLS is no beginning of what comes within it.
      this.#readFrom = this._socket;
      this.#check = createReplyCheck();
    }
    try {
      super._onData(this.#check.take(bytes));
    } catch (error) {
      this._onError(new Error(messageOf(error)), TOO_MUCH_SAID, false, 'CONN');
    }
  }
}

/** How nodemailer sends a mail over one connection of its own, and logs in where the server lets it. */
export const checkedTransport = (
  options: SMTPConnection.Options,
  credentials: SMTPConnection.Credentials | null,
): Transport<SMTPConnection.SentMessageInfo> => ({
  name: 'SMTP',
  version: '1',
  send({ message }, done) {
    const connection = new CheckedConnection(options);
    let isOver = false;
    const finish: typeof done = (error, info) => {
      if (isOver) return;
      isOver = true;
      connection.close();
      done(error, info);
    };
    const fail = (error: Error) => (finish as (error: Error) => void)(error);
    const send = () =>
      connection.send(message.getEnvelope(), message.createReadStream(), (error, info) =>
        finish(error, info),
      );
    connection.on('error', fail);
    connection.connect(error => {
      if (error) fail(error);
      else if (credentials === null || !connection.allowsAuth) send();
      else connection.login({ credentials }, refused => (refused ? fail(refused) : send()));
    });
  },
});
