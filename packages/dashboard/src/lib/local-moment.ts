/** A moment as a field for date and time holds it: by the reader's own clock, to the minute. Empty where it is none. */
export function toLocalMoment(at: string | number): string {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
