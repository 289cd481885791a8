export * from './envelope.ts';
export * from './event.ts';
export * from './pipeline.ts';
