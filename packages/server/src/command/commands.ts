import type { Settings } from '../settings.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { createCompletion } from './completion.ts';
import { doctor } from './doctor.ts';
import { listen } from './listen.ts';
import { move } from './move.ts';
import { createOpenApi } from './openapi.ts';
import { createReseal } from './reseal.ts';
import { resetPassword } from './reset-password.ts';
import { restore } from './restore.ts';
import { send } from './send.ts';
import { createServe } from './serve.ts';
import { tail } from './tail.ts';

/** What only the wiring knows, and commands are handed: most of what there is to load, and loaded when it is called. */
interface Wiring {
  readonly startService: Parameters<typeof createServe>[0];
  readonly resealStorage: Parameters<typeof createReseal>[0];
  openApiDocument(settings: Settings): Promise<object>;
}

/** Every command there is, in the order people are shown them. */
export function createCommands({ startService, resealStorage, openApiDocument }: Wiring): Command[] {
  const commands: Command[] = [
    createServe(startService),
    send,
    tail,
    listen,
    backup,
    restore,
    move,
    doctor,
    resetPassword,
    createReseal(resealStorage),
    createOpenApi(openApiDocument),
    createCompletion(() => commands),
  ];
  return commands;
}
