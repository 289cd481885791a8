/** The different texts of an index, in order: each step goes to the next one, past all rows of the one before. */
export async function eachText(next: (after: string) => Promise<string | undefined>): Promise<string[]> {
  const texts: string[] = [];
  for (let found = await next(''); found !== undefined; found = await next(found)) texts.push(found);
  return texts;
}
