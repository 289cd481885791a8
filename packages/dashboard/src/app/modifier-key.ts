/** The key that is held for what belongs to the whole program, as it is written on this system's keyboards. */
export const modifierKey = /^(Mac|iPhone|iPad)/.test(navigator.platform) ? '⌘' : 'Ctrl';
