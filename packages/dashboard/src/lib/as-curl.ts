/** A request as a command that can be pasted into a terminal, whatever stands in it. */
export function asCurl(request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): string {
  const parts = [
    `curl -X ${request.method} ${quoted(request.url)}`,
    ...Object.entries(request.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(request.body === '' ? [] : [`--data-raw ${quoted(request.body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** A shell reads nothing into single quotes but their end. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
