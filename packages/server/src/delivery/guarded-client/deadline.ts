/** The promise, or a rejection as soon as the deadline has passed, whatever then becomes of the promise. */
export function beforeDeadline<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('The deadline has passed.'));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    const settled = () => signal.removeEventListener('abort', giveUp);
    promise.then(resolve, reject).then(settled, settled);
  });
}
