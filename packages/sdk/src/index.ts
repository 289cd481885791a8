/** What the package offers. */
export { type Client, type ClientOptions, createClient, type Dropped } from './client.ts';
export {
  type Entities,
  type Entity,
  type EntityFilter,
  type EntityIdentity,
  type EntityLink,
  SluiceError,
} from './entities.ts';
export type { AnyEvents, EntityRef, EventMap, Schemas, TrackOptions } from './event.ts';
export type { StandardSchema } from './schema.ts';
export type { Failure, Fetch } from './server.ts';
export { SIGNATURE_HEADER, type SignedRequest, signPayload, verifySignature } from './signature.ts';
export type { Spool } from './spool.ts';
