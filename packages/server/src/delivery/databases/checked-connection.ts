import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { createFrameCheck } from './frames.ts';

/** What of the library's connection its types leave out: where it begins to read, within TLS or without. */
interface Reading {
  attachListeners(stream: EventEmitter): void;
}

const Connection = pg.Connection as unknown as new (options: object) => pg.Connection & Reading;

/** A connection that reads nothing but whole, sound frames; anything else ends it. */
class CheckedConnection extends Connection {
  readonly #check = createFrameCheck();

  // With these two, and nothing else that it sends, the library asks for readiness.
  override query(text: string): void {
    this.#check.asked();
    super.query(text);
  }

  override sync(): void {
    this.#check.asked();
    super.sync();
  }

  override attachListeners(stream: Duplex): void {
    const check = this.#check;
    const checked = new EventEmitter();
    super.attachListeners(checked);
    stream.on('data', (bytes: Buffer) => {
      try {
        for (const frame of check.take(bytes)) checked.emit('data', frame);
      } catch (error) {
        // Sound frames in an order that the library does not expect make it throw, too.
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    stream.on('end', () => checked.emit('end'));
  }
}

/** So long a server has to take the goodbye and to hang up. */
const GOODBYE_MS = 1_000;

/** For a pool: the client that reads through a checked connection, and leaves none open. */
export class CheckedClient extends pg.Client {
  readonly #connection: pg.Connection;

  constructor(config: pg.ClientConfig = {}) {
    const connection = new CheckedConnection({ ssl: config.ssl });
    // Not a copy: a pool hides the password from whoever copies.
    super(Object.create(config, { connection: { value: connection } }));
    this.#connection = connection;
  }

  /** The library leaves the socket of a client that was not let in to the server, which may keep it for ever. */
  override connect(): Promise<pg.Client>;
  override connect(done: (error: Error | null) => void): void;
  override connect(done?: (error: Error | null) => void): Promise<pg.Client> | undefined {
    if (done === undefined) return super.connect();
    super.connect((error: Error | null) => {
      if (error) this.#connection.stream.destroy();
      done(error);
    });
  }

  /** The library waits for answers that are still to come, and for the server to hang up: both may take for ever. */
  override end(): Promise<void>;
  override end(done: (error: Error) => void): void;
  override end(done?: (error: Error) => void): Promise<void> | undefined {
    const { stream } = this.#connection;
    const late = setTimeout(() => stream.destroy(), GOODBYE_MS);
    stream.once('close', () => clearTimeout(late));
    if (done === undefined) return super.end();
    super.end(done);
  }
}
