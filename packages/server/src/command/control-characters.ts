/**
 * Control characters in what strangers have written, such as the type of an event: a terminal would act on them. They
 * are spelt out as JSON spells them, so that they are seen, and JSON stays what it was.
 */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
/** Lines, tabs, and the colours that we paint with. */
const OWN = /(\n|\t|\u001b\[\d{1,2}m)/;

export const spellControls = (text: string): string =>
  text.replace(CONTROLS, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same for whole lines of output, which may hold what is our own. */
export const spellForeignControls = (line: string): string =>
  line
    .split(OWN)
    .map((part, i) => (i % 2 === 1 ? part : spellControls(part)))
    .join('');
