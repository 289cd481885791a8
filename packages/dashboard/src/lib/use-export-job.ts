import { useNavigate } from '@tanstack/react-router';
import type { GivenTo } from './api/path.ts';
import { useChange } from './api/use-call.ts';
import { notifyError } from './notify-error.ts';

export type ExportAsked = GivenTo<'POST /exports'>['body'];

/** Starts an export that is a job, and shows the job. */
export function useExportJob() {
  const navigate = useNavigate();
  const start = useChange('POST /exports');
  return {
    isStarting: start.isPending,
    async startJob(body: ExportAsked) {
      try {
        const job = await start.mutateAsync({ body });
        void navigate({ to: '/jobs/$id', params: { id: job.id } });
      } catch (error) {
        notifyError(error);
      }
    },
  };
}
