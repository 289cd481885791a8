/** Until everything that is due by now has had its turn. */
export const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve));
