import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconCopyPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

/** The way to the form of a new one that is filled in as another one is. */
interface Original {
  /** The form. */
  readonly to: '/sources/new' | '/destinations/new' | '/pipelines/new';
  readonly id: string;
}

export const CloneButton = ({ to, id }: Original) => (
  <Button
    variant="default"
    leftSection={<IconCopyPlus size={16} aria-hidden />}
    renderRoot={root => <Link to={to} search={{ clone: id }} {...root} />}
  >
    Clone
  </Button>
);

/** The same in a row of a list. */
export const CloneIcon = ({ to, id, name }: Original & { readonly name: string }) => (
  <Tooltip label="Clone">
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Clone ${name}`}
      renderRoot={root => <Link to={to} search={{ clone: id }} {...root} />}
    >
      <IconCopyPlus size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);
