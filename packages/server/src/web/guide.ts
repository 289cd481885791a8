import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import { Problem } from '../core/errors.ts';
import type { Html } from './api-docs/text.ts';
import type { WebEnv } from './env.ts';
import type { GuideFiles } from './guide/files.ts';
import { createLibrary, endingOf, GUIDE, pictureTypes } from './guide/library.ts';
import { renderFound, renderGuideIndex, renderGuidePage, renderMissing } from './guide/page.ts';
import { searchGuide } from './guide/search.ts';
import { GUIDE_STYLE } from './guide/style.ts';

/** A page may be styled by its own sheet, show our pictures and ask us for a search, and do nothing else. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(GUIDE_STYLE).digest('base64')}'`,
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A picture has its colours for light and dark inside, and runs nothing. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

const LONGEST_QUERY = 200;

/** `/docs/guide/`: the guides of `docs/` as pages, for everybody who can reach this server. */
export function addGuide(app: Hono<WebEnv>, files: GuideFiles): void {
  const readLibrary = createLibrary(files);

  app.get(GUIDE.slice(0, -1), context => context.redirect(GUIDE, 301));
  app.get(GUIDE, async context => {
    const library = await readLibrary();
    if (library.sections.length === 0)
      throw new Problem('not_found', { message: 'This Sluice was installed without its folder docs.' });
    const query = (context.req.query('q') ?? '').trim().slice(0, LONGEST_QUERY);
    if (query === '') return answer(renderGuideIndex(library));
    return answer(renderFound(library, query, searchGuide(library, query)));
  });
  app.get(`${GUIDE}*`, async context => {
    const library = await readLibrary();
    const path = context.req.path.slice(GUIDE.length);
    const page = library.find(path);
    if (page !== undefined) return answer(renderGuidePage(library, page));
    const picture = await library.picture(path);
    if (picture !== null)
      return new Response(picture, {
        headers: headersOf(pictureTypes.get(endingOf(path)) ?? '', PICTURE_POLICY),
      });
    // As it is called in the source.
    if (path.endsWith('.md') && library.find(path.slice(0, -3)) !== undefined)
      return context.redirect(`${GUIDE}${path.slice(0, -3)}`, 301);
    return answer(renderMissing(library), 404);
  });
}

const answer = async (page: Html, status = 200): Promise<Response> =>
  new Response(String(await page), { status, headers: headersOf('text/html; charset=utf-8', PAGE_POLICY) });

const headersOf = (type: string, policy: string) => ({
  'Content-Type': type,
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
});
