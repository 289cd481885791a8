import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { temporaryDirectory } from './service.ts';

/** HAProxy, in front of nodes that it asks for their readiness. */
export interface LoadBalancer {
  readonly url: string;
  /** How many of the nodes it sends requests to. */
  nodesUp(): Promise<number>;
  stop(): Promise<void>;
}

/** How often a node is asked, and how often it must fail until it gets no more requests. */
const CHECK = 'inter 100ms fall 2 rise 1';

export async function startLoadBalancer(ports: readonly number[]): Promise<LoadBalancer> {
  const [port, statistics] = [await freePort(), await freePort()];
  const file = join(temporaryDirectory(), 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  maxconn 500
defaults
  mode http
  timeout connect 10s
  timeout client 60s
  timeout server 60s
  timeout check 10s
  # Connections to the nodes are kept, and used for whoever comes next.
  http-reuse always
frontend senders
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host sluice
  default-server check ${CHECK}
${ports.map((node, n) => `  server node${n} 127.0.0.1:${node}\n`).join('')}listen statistics
  bind 127.0.0.1:${statistics}
  stats enable
  stats uri /
`,
  );
  const child = spawn('haproxy', ['-db', '-f', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
  });
  let complaints = '';
  child.stderr.on('data', chunk => {
    complaints += chunk;
  });
  const end = () => void child.kill('SIGKILL');
  process.on('exit', end);
  const exited = once(child, 'exit');

  return {
    url: `http://127.0.0.1:${port}`,
    async nodesUp() {
      if (child.exitCode !== null) throw new Error(`HAProxy has ended: ${complaints}`);
      const answer = await fetch(`http://127.0.0.1:${statistics}/;csv`).catch(() => null);
      const lines = (await answer?.text())?.split('\n') ?? [];
      return lines.filter(line => /^nodes,node\d/.test(line) && line.split(',')[17] === 'UP').length;
    },
    async stop() {
      process.off('exit', end);
      end();
      await exited;
    },
  };
}
