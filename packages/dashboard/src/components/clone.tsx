import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconCopyPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

/** The way to the form of a new one that is filled in as another one is. */
interface Original {
  /** The form: `/sources/new`. */
  readonly to: string;
  readonly id: string;
}

export const CloneButton = ({ to, id }: Original) => (
  <Button
    component={Link}
    to={to}
    search={{ clone: id }}
    variant="default"
    leftSection={<IconCopyPlus size={16} aria-hidden />}
  >
    Clone
  </Button>
);

/** The same in a row of a list. */
export const CloneIcon = ({ to, id, name }: Original & { readonly name: string }) => (
  <Tooltip label="Clone">
    <ActionIcon
      component={Link}
      to={to}
      search={{ clone: id }}
      variant="subtle"
      color="gray"
      aria-label={`Clone ${name}`}
    >
      <IconCopyPlus size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);
