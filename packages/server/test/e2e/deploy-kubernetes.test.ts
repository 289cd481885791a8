import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readSettings } from '../../src/settings.ts';
import { lastOf, readStages } from '../support/dockerfile.ts';

const root = join(import.meta.dir, '../../../..');
const folder = join(root, 'deploy/kubernetes');
const read = (file: string): unknown[] => {
  const parsed = Bun.YAML.parse(readFileSync(join(folder, file), 'utf8'));
  return Array.isArray(parsed) ? parsed : [parsed];
};

// What we use of Kubernetes and nothing else, so that a misspelt field does not pass: the server would leave it aside.
const names = z.record(z.string(), z.string());
const metadata = z.strictObject({
  name: z.string(),
  labels: names.optional(),
  annotations: names.optional(),
});
const selector = z.strictObject({ matchLabels: names });
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.literal('http') }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int(),
});
const quantity = z.string().regex(/^\d+(m|Mi|Gi)$/);
const container = z.strictObject({
  name: z.string(),
  image: z.literal('sluice'),
  args: z.array(z.string()),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })).optional(),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: z.strictObject({
    preStop: z.strictObject({ exec: z.strictObject({ command: z.array(z.string()) }) }),
  }),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: quantity, memory: quantity }),
    limits: z.strictObject({ memory: quantity }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string() })),
});
const pod = z.strictObject({
  enableServiceLinks: z.literal(false),
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: z.int().min(20),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int(),
    runAsGroup: z.int(),
    fsGroup: z.int().optional(),
    fsGroupChangePolicy: z.literal('OnRootMismatch').optional(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  topologySpreadConstraints: z
    .array(
      z.strictObject({
        maxSkew: z.int(),
        topologyKey: z.string(),
        whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
        labelSelector: selector,
      }),
    )
    .optional(),
  containers: z.tuple([container]),
  volumes: z.array(z.strictObject({ name: z.string(), emptyDir: z.strictObject({}) })),
});
const template = z.strictObject({
  metadata: z.strictObject({ labels: names, annotations: names }),
  spec: pod,
});
const claim = z.strictObject({
  metadata: z.strictObject({ name: z.string() }),
  spec: z.strictObject({
    accessModes: z.tuple([z.literal('ReadWriteOnce')]),
    resources: z.strictObject({ requests: z.strictObject({ storage: quantity }) }),
  }),
});
const apps = { apiVersion: z.literal('apps/v1'), metadata };
const object = z.discriminatedUnion('kind', [
  z.strictObject({
    ...apps,
    kind: z.literal('StatefulSet'),
    spec: z.strictObject({
      replicas: z.literal(1),
      serviceName: z.string(),
      selector,
      template,
      volumeClaimTemplates: z.array(claim),
    }),
  }),
  z.strictObject({
    ...apps,
    kind: z.literal('Deployment'),
    spec: z.strictObject({
      replicas: z.int().min(2),
      strategy: z.strictObject({ type: z.literal('Recreate') }),
      selector,
      template,
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      selector: names,
      ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata,
    spec: z.strictObject({ minAvailable: z.int(), selector }),
  }),
]);
const kustomization = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string().optional(),
  resources: z.array(z.string()),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).optional(),
});

for (const [variant, kinds] of [
  ['single', ['StatefulSet', 'Service']],
  ['cluster', ['Deployment', 'Service', 'PodDisruptionBudget']],
] as const) {
  describe(`the ${variant} node's manifests`.replace("cluster node's", "cluster's"), () => {
    const objects = () => read(`${variant}/sluice.yaml`).map(one => object.parse(one));
    const workload = () => {
      const found = objects().find(one => one.kind === 'StatefulSet' || one.kind === 'Deployment');
      if (found?.kind !== 'StatefulSet' && found?.kind !== 'Deployment') throw new Error('There is none.');
      return found;
    };
    const podOf = () => workload().spec.template.spec;

    test('have every object, with fields that we know', () => {
      expect(objects().map(({ kind }) => kind)).toEqual([...kinds]);
    });

    test('are listed for kustomize, and so is the image', () => {
      const [listed] = read(`${variant}/kustomization.yaml`).map(one => kustomization.parse(one));
      expect(listed?.resources.filter(path => !existsSync(join(folder, variant, path)))).toEqual([]);
      expect(listed?.images?.map(({ name }) => name)).toEqual([podOf().containers[0].image]);
    });

    test('select the pods that they describe', () => {
      const { labels } = workload().spec.template.metadata;
      for (const one of objects()) {
        const wanted = one.kind === 'Service' ? one.spec.selector : one.spec.selector.matchLabels;
        expect(labels).toMatchObject(wanted);
      }
    });

    test('ask whether it lives and whether it is ready where Sluice says so', () => {
      const { livenessProbe, readinessProbe, startupProbe, ports } = podOf().containers[0];
      expect(livenessProbe.httpGet.path).toBe('/healthz');
      expect(startupProbe.httpGet.path).toBe('/healthz');
      expect(readinessProbe.httpGet.path).toBe('/readyz');
      expect(ports).toEqual([{ name: 'http', containerPort: 8080 }]);
    });

    test('run as the user of the image, and mount every folder that it writes to', () => {
      const [final] = readStages(readFileSync(join(root, 'Dockerfile'), 'utf8')).slice(-1);
      const { runAsUser, runAsGroup } = podOf().securityContext;
      expect(`${runAsUser}:${runAsGroup}`).toBe(final === undefined ? '' : lastOf(final, 'USER'));
      const mounts = podOf().containers[0].volumeMounts;
      expect(mounts.map(({ mountPath }) => mountPath).sort()).toEqual(['/data', '/tmp']);
      const found = workload();
      const claims = found.kind === 'StatefulSet' ? found.spec.volumeClaimTemplates : [];
      const volumes = [
        ...podOf().volumes.map(({ name }) => name),
        ...claims.map(({ metadata: { name } }) => name),
      ];
      expect(mounts.map(({ name }) => name).filter(name => !volumes.includes(name))).toEqual([]);
    });

    test('give settings that Sluice starts with', () => {
      const { env, envFrom } = podOf().containers[0];
      const secret = envFrom
        ? { SLUICE_DATABASE_URL: 'postgres://u:p@db/sluice', SLUICE_SECRET_KEY: 'k'.repeat(64) }
        : {};
      const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      expect(() => readSettings({ ...given, ...secret })).not.toThrow();
    });
  });
}

test('the namespace lets in restricted pods only', () => {
  const namespace = z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Namespace'),
    metadata: z.strictObject({
      name: z.literal('sluice'),
      labels: z.strictObject({ 'pod-security.kubernetes.io/enforce': z.literal('restricted') }),
    }),
  });
  expect(read('namespace/namespace.yaml').map(one => namespace.safeParse(one).success)).toEqual([true]);
  expect(read('namespace/kustomization.yaml').map(one => kustomization.safeParse(one).success)).toEqual([
    true,
  ]);
});
