import type { ConfigurationProblem } from '@sluice/contract/dashboard-configuration';
import type { Clock } from '../../../core/clock.ts';
import { invalid, Problem } from '../../../core/errors.ts';
import { sha256Hex } from '../../../core/json/canonical.ts';
import { fingerprintOf } from '../../../core/stores/configuration/whole.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Calls } from '../calls.ts';
import type { DocumentThread } from './document-thread.ts';
import { toDocument, toForms } from './file.ts';
import { type ConfigurationPlan, type PlanDependencies, planConfiguration } from './plan.ts';
import { readFile } from './read-file.ts';

/** The configuration as a file: downloaded, compared with one that is uploaded, and applied. */
export function configurationCalls(
  calls: Calls,
  {
    configuration,
    documents,
    clock,
    ...dependencies
  }: PlanDependencies & {
    readonly configuration: Pick<ConfigurationStore, 'audited' | 'readConfiguration'>;
    readonly documents: Pick<DocumentThread, 'read' | 'write'>;
    readonly clock: Clock;
  },
): void {
  interface Comparison {
    /** Stands for both sides of what was compared, and for how. */
    readonly base: string;
    /** Of the configuration alone. */
    readonly fingerprint: string;
    readonly problems: readonly ConfigurationProblem[];
    readonly plan: ConfigurationPlan | null;
  }

  async function compare(
    orgId: string,
    { document, remove }: { readonly document: string; readonly remove: boolean },
    entered: { readonly secrets: ReadonlyMap<string, string>; readonly isFinal: boolean },
  ): Promise<Comparison> {
    const read = await documents.read(orgId, document);
    const present = await configuration.readConfiguration(orgId);
    const fingerprint = fingerprintOf(present);
    const base = sha256Hex([fingerprint, remove, document].join('\n'));
    if ('problems' in read) return { base, fingerprint, problems: read.problems, plan: null };
    const { file, problems } = readFile(read);
    const plan = await planConfiguration(
      { orgId, now: clock.now(), file, present: toForms(present, dependencies), remove, ...entered },
      dependencies,
    );
    return { base, fingerprint, problems: [...problems, ...plan.problems], plan };
  }

  calls.on('GET /configuration/file', 'read', async call => {
    const { orgId } = call.session;
    const forms = toForms(await configuration.readConfiguration(orgId), dependencies);
    return call.answer({ document: await documents.write(orgId, toDocument(forms)) });
  });

  calls.on('POST /configuration/difference', 'configuration.apply', async call => {
    const body = await call.body();
    const { base, problems, plan } = await compare(call.session.orgId, body, {
      secrets: new Map(),
      isFinal: false,
    });
    return call.answer({ base, problems, items: plan?.items ?? [], secrets: plan?.missing ?? [] });
  });

  calls.on('POST /configuration/apply', 'configuration.apply', async call => {
    const body = await call.body();
    const { orgId, email } = call.session;
    const secrets = new Map(body.secrets.map(({ path, value }) => [path, value]));
    const { base, fingerprint, problems, plan } = await compare(orgId, body, { secrets, isFinal: true });
    if (base !== body.base) throw changedMeanwhile();
    const [problem] = problems;
    if (problem !== undefined) throw invalid(problem.path, inFile(problem));
    if (plan === null) throw invalid('document', 'document is empty.');
    const { edit, made, records } = plan;
    const count = (what: 'created' | 'changed' | 'removed') =>
      edit.sources[what].length + edit.destinations[what].length + edit.pipelines[what].length;
    const counts = { created: count('created'), changed: count('changed'), removed: count('removed') };
    if (records.length === 0) return call.answer({ ...counts, made: [] });
    const entries = [
      ...records.map(({ action, target, details }) => call.record(action, target, details)),
      call.record('configuration.applied', orgId, counts),
    ];
    const saved = await configuration
      .audited(...entries)
      .editConfiguration(orgId, edit, fingerprint, email, clock.now());
    if (saved === 'changed_meanwhile') throw changedMeanwhile();
    return call.answer({ ...counts, made });
  });
}

const changedMeanwhile = () =>
  new Problem('version_conflict', {
    message:
      'The configuration has changed since the difference was shown. Nothing was applied: review it again.',
  });

const inFile = ({ line, message }: ConfigurationProblem): string =>
  line === null ? message : `Line ${line}: ${message}`;
