import { findFailed, NotFound, Waiting } from '../../components/page-states.tsx';
import { useAll, useCall } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { useWithoutRemoved } from '../../lib/undo/use-removals.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { usePathId } from '../../lib/use-path-id.ts';
import { beginBetween } from './draft.ts';
import { PipelineEditor } from './pipeline-editor.tsx';

/** One pipeline, or a new one: everything that its editor has to know before it can be drawn. */
export default function PipelinePage() {
  const id = usePathId();
  const isNew = id === 'new';
  const mayChange = useMay()('pipelines.change');
  const [{ clone, source, destination }] = useFilters();
  const cloned = isNew ? clone : undefined;
  const original = useCall('GET /pipelines/:id', cloned === undefined ? null : { id: cloned });
  const pipeline = useCall('GET /pipelines/:id', isNew ? null : { id }, { live: true });
  const kinds = useCall('GET /kinds/steps');
  // What is being deleted keeps its name until it is gone; nobody begins with it any more.
  const sources = useAll('GET /sources', {}, { removed: true });
  const destinations = useAll('GET /destinations', {}, { removed: true });
  const offeredSources = useWithoutRemoved('/sources', sources.data);
  const offeredDestinations = useWithoutRemoved('/destinations', destinations.data);

  if (isNew && !mayChange) return <NotFound />;
  // What is kept from the page before is another pipeline's.
  const record = isNew || pipeline.data?.id !== id ? null : pipeline.data;
  const asked = [
    ...(isNew ? [] : [pipeline]),
    ...(cloned === undefined ? [] : [original]),
    kinds,
    sources,
    destinations,
  ];
  // What was made a moment ago may not have been read yet.
  const isComing = (id: string | undefined, rows: readonly { id: string }[], isFetching: boolean) =>
    isNew && id !== undefined && isFetching && !rows.some(one => one.id === id);
  const failed = findFailed(asked);
  if (
    failed ||
    !kinds.data ||
    !sources.data ||
    !destinations.data ||
    (!isNew && record === null) ||
    isComing(source, sources.data, sources.isFetching) ||
    isComing(destination, destinations.data, destinations.isFetching) ||
    (cloned !== undefined && !original.data)
  ) {
    return (
      <Waiting error={failed?.error ?? null} onRetry={() => asked.forEach(each => void each.refetch())} />
    );
  }
  return (
    <PipelineEditor
      key={`${id} ${cloned ?? ''} ${source ?? ''} ${destination ?? ''}`}
      record={record}
      original={cloned === undefined ? null : (original.data ?? null)}
      begun={beginBetween(
        offeredSources?.find(({ id }) => id === source),
        offeredDestinations?.find(({ id }) => id === destination),
      )}
      kinds={kinds.data}
      sources={sources.data}
      destinations={destinations.data}
      mayChange={mayChange}
    />
  );
}
