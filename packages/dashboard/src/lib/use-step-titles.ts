import { useCallback } from 'react';
import { useCall } from './api/use-call.ts';

/** What the editor calls a kind of step; the kind itself until that is read, or where it is gone. */
export function useStepTitles(): (kind: string) => string {
  const { data: kinds } = useCall('GET /kinds/steps');
  return useCallback(kind => kinds?.find(one => one.kind === kind)?.title ?? kind, [kinds]);
}
