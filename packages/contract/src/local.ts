/** What the service answers on the socket in its data directory, to commands on the same machine. */
export const LOCAL_SOCKET = 'sluice.sock';
export const LOCAL_TAIL_PATH = '/tail';
