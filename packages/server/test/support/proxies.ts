import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './folder.ts';
import { freePort } from './free-port.ts';
import { createAuthority } from './tls.ts';
import { until } from './until.ts';

/** The proxies of deploy/proxies as an operator runs them; only addresses, ports and certificates are a test's own. */
export interface RunningProxy {
  readonly url: string;
  /** Where the proxy answers plain HTTP; null where it was told not to. */
  readonly plainUrl: string | null;
  /** The authority of its certificate. */
  readonly ca: string;
  stop(): Promise<void>;
}

const recipes = join(import.meta.dir, '../../../../deploy/proxies');
const recipe = (file: string): string => readFileSync(join(recipes, file), 'utf8');
/** Debian has nginx where only root's shell looks. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const STARTS = 5;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startCaddy(nodes: readonly string[]): Promise<RunningProxy> {
  return start(async () => {
    const home = newFolder();
    const [port, unused] = [await freePort(), await freePort()];
    const own = `{
      admin off
      local_certs
      skip_install_trust
      auto_https disable_redirects
      http_port ${unused}
      storage file_system ${home}
    }
    import ${recipes}/Caddyfile\n`;
    writeFileSync(join(home, 'Caddyfile'), own);
    const authority = join(home, 'pki/authorities/local/root.crt');
    return {
      command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(home, 'Caddyfile')],
      env: { HOME: home, DOMAIN: `localhost:${port}`, UPSTREAMS: nodes.map(hostOf).join(' ') },
      url: `https://localhost:${port}`,
      plainUrl: null,
      ca: () => (existsSync(authority) ? readFileSync(authority, 'utf8') : null),
    };
  });
}

export async function startNginx(node: string): Promise<RunningProxy> {
  return start(async () => {
    const home = newFolder();
    const [port, plain] = [await freePort(), await freePort()];
    const authority = createAuthority();
    const { key, cert } = authority.certify(['localhost']);
    const certificates = '/etc/letsencrypt/live/sluice.example.com';
    writeFileSync(join(home, 'privkey.pem'), key);
    writeFileSync(join(home, 'fullchain.pem'), cert);
    mkdirSync(join(home, 'logs'));
    const site = recipe('nginx.conf')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ', `listen 127.0.0.1:${port} `)
      .replaceAll('sluice.example.com;', 'localhost;')
      .replaceAll(certificates, home)
      .replace('127.0.0.1:8080', hostOf(node));
    writeFileSync(join(home, 'site.conf'), site);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const main = `
      ${process.getuid?.() === 0 ? 'user root;' : ''}
      daemon off; worker_processes 1; pid nginx.pid; error_log stderr warn;
      events {}
      http {
        access_log off;
        ${temporary.map(name => `${name}_temp_path ${home}/${name};`).join(' ')}
        include ${home}/site.conf;
      }`;
    writeFileSync(join(home, 'nginx.conf'), main);
    return {
      command: ['nginx', '-p', home, '-e', 'stderr', '-c', join(home, 'nginx.conf')],
      env: {},
      url: `https://localhost:${port}`,
      plainUrl: `http://localhost:${plain}`,
      ca: () => authority.ca,
    };
  });
}

interface Plan {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
  readonly url: string;
  readonly plainUrl: string | null;
  /** Null until there is one. */
  ca(): string | null;
}

/** Somebody else may have taken a port in between: then it is tried with others. */
async function start(plan: () => Promise<Plan>): Promise<RunningProxy> {
  let output = '';
  for (let n = 0; n < STARTS; n++) {
    const { command, env, url, plainUrl, ca } = await plan();
    const [program = '', ...args] = command;
    const child = spawn(program, args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let ended = false;
    for (const event of ['exit', 'error']) {
      child.once(event, () => {
        ended = true;
        running.delete(child);
      });
    }
    output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
    await until(async () => ended || (await answers(url, ca())), `${program} does not answer: ${output}`);
    if (ended) continue;
    return {
      url,
      plainUrl,
      ca: ca() ?? '',
      async stop() {
        child.kill('SIGTERM');
        await until(() => ended, `${program} does not end.`);
      },
    };
  }
  throw new Error(`The proxy did not start: ${output}`);
}

async function answers(url: string, ca: string | null): Promise<boolean> {
  if (ca === null) return false;
  const answer = await fetch(`${url}/v1/openapi.json`, { tls: { ca } }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

const hostOf = (url: string): string => new URL(url).host;
