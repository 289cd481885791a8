import { Kbd, Modal, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect } from 'react';
import { modifierKey } from './modifier-key.ts';
import { navigation } from './pages.ts';

const keys: readonly [string, string][] = [
  [`${modifierKey} K`, 'Find anything'],
  ['?', 'Show these shortcuts'],
  ['/', 'Focus the filter of a list'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ...navigation.map(({ key, label }): [string, string] => [`g ${key}`, label]),
];

/** The keys. They are shown whenever they are asked for once more. */
export default function ShortcutHelp({ asked }: { asked: number }) {
  const [isOpen, { open, close }] = useDisclosure();
  useEffect(() => {
    if (asked > 0) open();
  }, [asked, open]);

  return (
    <Modal opened={isOpen} onClose={close} title="Keyboard shortcuts" size="sm">
      <Table withRowBorders={false} verticalSpacing={5}>
        <Table.Tbody>
          {keys.map(([key, meaning]) => (
            <Table.Tr key={key}>
              <Table.Td w={110}>
                {key.split(' ').map(part => (
                  <Kbd key={part} mr={4}>
                    {part}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
