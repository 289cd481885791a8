export * from './envelope.ts';
export * from './event.ts';
