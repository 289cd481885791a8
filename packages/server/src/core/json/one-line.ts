/** JSON text for a file of lines. In JSON a line ends between tokens only: inside a text it is written as `\n`. */
export const onOneLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ');
