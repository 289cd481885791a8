/**
 * Keeps secrets out of the log twice over: by the name of the field that holds them, wherever it stands, and by
 * pattern in any text, since a library's error message may quote what it was given.
 */
const SECRET_NAME =
  /secret|password|passphrase|token|authorization|cookie|signature|credential|api_?key|connection_?string|database_?url/i;
const CENSORED = '[redacted]';
const DEEPEST = 8;

/** What stands under a secret's name is left out; an error becomes what of it is worth reading. */
export function withoutSecrets(value: unknown, levels = DEEPEST): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '[deeper]';
  if (Array.isArray(value)) return value.map(item => withoutSecrets(item, levels - 1));
  const fields = Object.entries(value instanceof Error ? readError(value) : value);
  return Object.fromEntries(
    fields.map(([name, inner]) => [
      name,
      SECRET_NAME.test(name) && inner !== null && inner !== undefined
        ? CENSORED
        : withoutSecrets(inner, levels - 1),
    ]),
  );
}

/** A database's `detail` and `where` quote the values of the row that failed. */
const readError = (error: Error): Record<string, unknown> => ({
  ...error,
  detail: undefined,
  where: undefined,
  type: error.name,
  message: error.message,
  stack: error.stack,
  ...(error.cause === undefined ? {} : { cause: error.cause }),
});

/** Secrets of our own making, bearer and signature headers, webhook URLs, and passwords inside URLs. */
const secretLooks: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z]{2,10}_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, CENSORED],
  [/\b(bearer|basic) +[^\s"'\\]+/gi, `$1 ${CENSORED}`],
  [/(\/whk\/)[^\s"'\\/?#]+/g, `$1${CENSORED}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s"'\\/:@]*):[^\s"'\\/@]+@/gi, `$1:${CENSORED}@`],
];

export function scrub(line: string): string {
  let scrubbed = line;
  for (const [look, instead] of secretLooks) scrubbed = scrubbed.replace(look, instead);
  return scrubbed;
}
