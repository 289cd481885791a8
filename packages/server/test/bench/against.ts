import { type Figure, plainly, thousands } from './figure.ts';
import { ingestBody } from './order-event.ts';
import { compare } from './wrk.ts';

/** `npm run bench -- --against URL [--header 'Name: value' …]`: drives any other endpoint with the same load. */
interface Against {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Null where the arguments do not ask for it; a sentence where they cannot be followed. */
export function readAgainst(args: readonly string[]): Against | string | null {
  if (!args.includes('--against') && !args.includes('--header')) return null;
  const headers: Record<string, string> = {};
  let url = '';
  for (let i = 0; i < args.length; i += 2) {
    const [option, value] = [args[i], args[i + 1]];
    if (value === undefined) return `${option} needs a value.`;
    if (option === '--against') {
      if (!URL.canParse(value)) return `"${value}" is no URL.`;
      url = value;
    } else if (option === '--header') {
      const colon = value.indexOf(':');
      if (colon < 1) return `"${value}" is no header: it has to be "Name: value".`;
      headers[value.slice(0, colon).trim()] = value.slice(colon + 1).trim();
    } else {
      return `"${option}" cannot be given together with --against URL and --header "Name: value".`;
    }
  }
  return url === '' ? '--header needs --against URL.' : { url, headers };
}

const SECONDS = 5;
const ROUNDS = 3;

export async function measureAgainst(against: Against): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const events of [1, 100]) {
    const [result] = await compare([{ ...against, body: ingestBody(events), seconds: SECONDS }], ROUNDS);
    if (!result) throw new Error('nothing was measured');
    const { requestsPerSecond, p50Ms, p99Ms } = result;
    const rate = `${thousands(requestsPerSecond * events)} (${thousands(requestsPerSecond)} requests/s)`;
    const name = events === 1 ? '1 event a request' : `${events} events a request`;
    figures.push(
      plainly(`${name}, events/s`, rate),
      plainly(`${name}, p50 / p99, ms`, `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`),
    );
  }
  return figures;
}
