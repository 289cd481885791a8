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
  override attachListeners(stream: Duplex): void {
    const check = createFrameCheck();
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

/** For a pool: the client that reads through a checked connection. */
export class CheckedClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    // Not a copy: a pool hides the password from whoever copies.
    super(Object.create(config, { connection: { value: new CheckedConnection({ ssl: config.ssl }) } }));
  }
}
