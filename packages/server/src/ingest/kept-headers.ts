/** The headers of a webhook request that are kept with its event. */
export type HeaderKeeper = (
  headers: Headers,
  attributes?: Readonly<Record<string, string>> | null,
  /** Of one source's own scheme. */
  secretHeaders?: readonly string[],
  /** The source's own, which is the secret of its address: no value that holds it is kept. */
  token?: string,
) => string;

/** Names and values of one event together. */
const MOST_CHARACTERS = 16 * 1024;
/** Of one request that was refused: a source keeps a thousand of these, whoever sends them. */
export const MOST_REFUSED_CHARACTERS = 2 * 1024;

const MOST_JUDGED = 1_000;

/** Credentials, and where proxies hand on the address as it was asked for, with what stands in its query. */
const never = [
  'authorization',
  'cookie',
  'x-original-uri',
  'x-original-url',
  'x-forwarded-uri',
  'x-envoy-original-path',
  'x-rewrite-url',
];
const neverBeginning = ['proxy-', 'x-amzn-oidc-'];

/** A token for idempotency is an id. */
const SECRET_NAME = /signature|secret|password|jwt|api-?key|^(?!.*idempotency).*token/;

/**
 * Keeps names in lower case, 16 KiB in all where nothing else is said; what does not fit is left out. Credentials and signatures are never kept,
 * nor what the operator lists, where a star at the end stands for any ending.
 */
export function createHeaderKeeper(
  secretHeaders: Iterable<string>,
  leftOut: readonly string[],
  mostCharacters = MOST_CHARACTERS,
): HeaderKeeper {
  const listed = leftOut.map(name => name.toLowerCase());
  const names = new Set([...never, ...secretHeaders, ...listed.filter(name => !name.endsWith('*'))]);
  const beginnings = [
    ...neverBeginning,
    ...listed.filter(name => name.endsWith('*')).map(name => name.slice(0, -1)),
  ];
  const judge = (name: string): boolean =>
    names.has(name) || SECRET_NAME.test(name) || beginnings.some(beginning => name.startsWith(beginning));
  /** Every request of a sender has the same names; what somebody makes up is judged each time. */
  const judged = new Map<string, boolean>();
  const isLeftOut = (name: string): boolean => {
    const known = judged.get(name);
    if (known !== undefined) return known;
    const verdict = judge(name);
    if (judged.size < MOST_JUDGED) judged.set(name, verdict);
    return verdict;
  };

  return (headers, attributes, ownSecrets, token) => {
    const kept: Record<string, string> = {};
    let room = mostCharacters;
    const keep = (value: string, name: string) => {
      const size = name.length + value.length;
      if (size > room || isLeftOut(name) || ownSecrets?.includes(name)) return;
      if (token !== undefined && value.includes(token)) return;
      room -= size;
      kept[name] = value;
    };
    if (attributes) for (const name in attributes) keep(attributes[name] ?? '', name);
    headers.forEach((value, name) => {
      if (!Object.hasOwn(kept, name)) keep(value, name);
    });
    return JSON.stringify(kept);
  };
}
