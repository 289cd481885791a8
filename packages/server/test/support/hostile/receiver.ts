import type { Socket } from 'node:net';
import type { KeyAndCertificate } from '../tls.ts';

/** Somebody hostile who listens where a receiver should be, and what a destination has to be told to come there. */
export interface HostileReceiver {
  serve(socket: Socket): void;
  /** TLS from the first byte. */
  readonly certificate?: KeyAndCertificate;
  /** What the destination's configuration holds beside the address. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** What a delivery there comes to; absent: it fails. Where a yes may or may not be heard it may be either. */
  readonly outcome?: 'delivered' | 'either';
}

/** Where somebody hostile listens, for the processes that have only that. */
export type HostileAddress = Omit<HostileReceiver, 'serve' | 'certificate'> & { readonly port: number };
