import { Button } from '@mantine/core';
import { IconCopyPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

/** The way to the form of a new one that is filled in as another one is. */
export const CloneButton = ({
  to,
  id,
}: {
  readonly to: '/sources/new' | '/destinations/new' | '/pipelines/new';
  readonly id: string;
}) => (
  <Button
    variant="default"
    leftSection={<IconCopyPlus size={16} aria-hidden />}
    renderRoot={root => <Link to={to} search={{ clone: id }} {...root} />}
  >
    Clone
  </Button>
);
