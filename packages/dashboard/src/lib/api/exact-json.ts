/** JSON whose integers stay exact at any size: those that a double cannot hold are read as BigInt. */
const maybeLarge = /\d{16}/;

/** What the language has and its type library does not know yet. */
const exact = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};

export function parseExact(text: string): unknown {
  if (!maybeLarge.test(text)) return JSON.parse(text);
  return exact.parse(text, (_key, value, context) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    context.source !== undefined &&
    /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value,
  );
}

export const stringifyExact = (value: unknown, indent = 2): string =>
  JSON.stringify(
    value,
    (_key, part) => (typeof part === 'bigint' ? exact.rawJSON(part.toString()) : part),
    indent,
  ) ?? '';
