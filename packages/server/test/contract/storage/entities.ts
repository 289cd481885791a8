import { describe } from 'bun:test';
import { entityEventsContract } from './entity-events.ts';
import { entityGraphsContract } from './entity-graphs.ts';
import { entityListsContract } from './entity-lists.ts';
import { entityPropertiesContract } from './entity-properties.ts';
import { entityWritesContract } from './entity-writes.ts';
import type { Subject } from './suite.ts';

export function entitiesContract(subject: Subject): void {
  describe('writes', () => entityWritesContract(subject));
  describe('lists', () => entityListsContract(subject));
  describe('graphs', () => entityGraphsContract(subject));
  describe('events', () => entityEventsContract(subject));
  describe('properties', () => entityPropertiesContract(subject));
}
