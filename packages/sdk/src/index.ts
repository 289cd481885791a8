/** What the package offers. */
export { type Client, type ClientOptions, createClient, type Dropped, type TrackOptions } from './client.ts';
export { type Entities, type Entity, type EntityFilter, SluiceError } from './entities.ts';
export type { AnyEvents, EventMap, Schemas, StandardSchema } from './event-map.ts';
export type { Failure } from './post.ts';
export { SIGNATURE_HEADER, type SignedRequest, signPayload, verifySignature } from './signature.ts';
export type { Spool } from './spool.ts';
