import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { type ClientSettings, clientOf } from '../client.ts';
import type { WebEnv } from '../env.ts';
import type { FirstUser } from './first-user.ts';
import { secure } from './headers.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5b6877; --paper: #f6f8fa; --card: #fff;
  --line: #dde3ea; --accent: #0b6bcb; --code: #eef2f6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --soft: #9aa8b8; --paper: #10151b;
  --card: #171e26; --line: #2a3440; --accent: #6cb4ff; --code: #0c1116; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 4rem 1.25rem 5rem; }
h1 { font-size: 2.25rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
.lead { font-size: 1.15rem; color: var(--soft); margin-bottom: 2rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
  padding: 1.25rem 1.5rem; margin: 0 0 1.25rem; }
section > :last-child { margin-bottom: 0; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1rem;
  overflow-x: auto; font: .85rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
ul { margin: 0; padding-left: 1.2rem; }
.soft { color: var(--soft); }
`;

/** No script, no form, no request to anywhere: the one style block, known by its hash. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** `/` explains itself: what this is, what to do first, and where everything is. */
export function frontPage({ firstUser, client }: { firstUser: FirstUser; client: ClientSettings }) {
  return async (context: Context<WebEnv>): Promise<Response> => {
    const { baseUrl } = clientOf(context.req.raw, context.env, client);
    const response = new Response(renderFrontPage(baseUrl, await firstUser.isWanted()), {
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
    });
    secure(response.headers, PAGE_POLICY);
    return response;
  };
}

export function renderFrontPage(baseUrl: string, needsSetUp: boolean): string {
  const base = escapeHtml(baseUrl);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Sluice</h1>
<p class="lead">Takes events in from your code and from any webhook, keeps them safe, runs them through your
pipelines, and delivers them wherever they are needed.</p>
${needsSetUp ? setUpFirst(base) : firstSteps(base)}
<section>
<h2>Where to look</h2>
<ul>
<li><a href="/docs">API reference</a> <span class="soft">– every public call, with its shapes and errors</span></li>
<li><a href="/healthz">/healthz</a> and <a href="/readyz">/readyz</a> <span class="soft">– alive, and able to accept</span></li>
<li><a href="/metrics">/metrics</a> <span class="soft">– for Prometheus</span></li>
</ul>
</section>
</main>
</body>
</html>
`;
}

const setUpFirst = (base: string): string => `<section>
<h2>Set it up</h2>
<p>There is no user yet. The server printed a one-time code when it started; with it, make the first user and
their organisation:</p>
<pre>curl ${base}/dashboard/api/setup \\
  -c sluice.cookies \\
  -H 'X-Sluice-CSRF: 1' \\
  -H 'Content-Type: application/json' \\
  -d '{"code":"<b>the code</b>", "organisation":"Acme",
       "email":"you@example.com", "password":"<b>8 characters or more</b>"}'</pre>
<p class="soft">Or set <code>SLUICE_ADMIN_EMAIL</code> and <code>SLUICE_ADMIN_PASSWORD</code> and start again.</p>
</section>
${steps('Then', base)}`;

const firstSteps = (base: string): string => `<section>
<h2>Log in</h2>
<pre>curl ${base}/dashboard/api/session \\
  -c sluice.cookies \\
  -H 'X-Sluice-CSRF: 1' \\
  -H 'Content-Type: application/json' \\
  -d '{"email":"you@example.com","password":"<b>your password</b>"}'</pre>
</section>
${steps('Send an event', base)}`;

const steps = (title: string, base: string): string => `<section>
<h2>${title}</h2>
<p>Make an API key; its secret is shown this once:</p>
<pre>curl ${base}/dashboard/api/keys \\
  -b sluice.cookies -H 'X-Sluice-CSRF: 1' \\
  -H 'Content-Type: application/json' -d '{"name":"first key"}'</pre>
<p>Send an event with it. The answer is 202 once the event is on disk:</p>
<pre>curl ${base}/v1/ingest \\
  -H 'Authorization: Bearer <b>the secret</b>' \\
  -H 'Content-Type: application/json' \\
  -d '{"events":[{"type":"order.paid","payload":{"id":1}}]}'</pre>
<p>And see it there:</p>
<pre>curl ${base}/dashboard/api/events -b sluice.cookies</pre>
</section>`;

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
