import { expect, test } from 'bun:test';
import { requirePermission } from './permissions.ts';

test('whoever may not do something is told which role it takes', () => {
  expect(() => requirePermission('viewer', 'pipelines.change')).toThrow(
    'You need the member role or higher to do this. Your role is viewer.',
  );
  expect(() => requirePermission('admin', 'owners.change')).toThrow(
    'You need the owner role to do this. Your role is admin.',
  );
  expect(() => requirePermission('admin', 'pipelines.change')).not.toThrow();
});
