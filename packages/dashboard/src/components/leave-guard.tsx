import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';

interface GuardedForm {
  isUnsaved(): boolean;
  /** Where a reload loses nothing. */
  isKept?: boolean;
  /** They leave: what they typed is not wanted. */
  onLeave?(): void;
}

interface LeaveGuard {
  /** Does it at once where nothing is unsaved, and asks first otherwise. */
  ask(leave: () => void): void;
  /** The dialog that asks, to be drawn somewhere. */
  readonly question: ReactNode;
}

interface AskingForm extends GuardedForm {
  /** Asks for all forms of the page. */
  askForAll(answer: (leaves: boolean) => void): void;
}

/** The forms of the page: whoever leaves it is asked once, for all of them. */
const forms = new Set<{ readonly current: AskingForm }>();
const unsavedForms = () => [...forms].filter(({ current }) => current.isUnsaved());

/** For what cannot wait for the router to ask: whether nothing on the page is unsaved, or else they leave all the same. */
export function mayLeavePage(): Promise<boolean> {
  const [first] = unsavedForms();
  return first === undefined ? Promise.resolve(true) : new Promise(first.current.askForAll);
}

/** Asks before a page with unsaved changes is left; the browser asks where the tab is closed and nothing is kept. */
export const LeaveGuard = (form: GuardedForm) => useLeaveGuard(form).question;

/** The same for a form that can also be closed, such as one in a modal. */
export function useLeaveGuard(form: GuardedForm): LeaveGuard {
  const { isUnsaved, isKept = false } = form;
  const [closing, setClosing] = useState<{ isOfAll: boolean; answer(leaves: boolean): void } | null>(null);
  const askingForm: AskingForm = {
    ...form,
    askForAll: answer => setTimeout(() => setClosing({ isOfAll: true, answer })),
  };
  const here = useRef(askingForm);
  here.current = askingForm;
  useEffect(() => {
    forms.add(here);
    return () => {
      forms.delete(here);
    };
  }, []);
  const { status, proceed, reset } = useBlocker({
    // The first of them asks for the others.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && unsavedForms()[0] === here,
    enableBeforeUnload: () => !isKept && isUnsaved(),
    withResolver: true,
  });
  const isAsking = status === 'blocked' || (closing !== null && isUnsaved());
  const isSavedMeanwhile = closing !== null && !isUnsaved();
  useEffect(() => {
    if (closing === null || !isSavedMeanwhile) return;
    setClosing(null);
    if (closing.isOfAll) void mayLeavePage().then(closing.answer);
    else closing.answer(true);
  }, [closing, isSavedMeanwhile]);
  const stay = () => {
    reset?.();
    setClosing(null);
    closing?.answer(false);
  };
  const leave = () => {
    // Whoever asked for all of them may fail yet to leave, and drops what is kept once it has not.
    const left = status === 'blocked' ? unsavedForms() : closing?.isOfAll ? [] : [here];
    for (const { current } of left) current.onLeave?.();
    setClosing(null);
    closing?.answer(true);
    proceed?.();
  };
  return {
    ask(then) {
      // Escape reaches the modal below as well.
      if (isAsking) return;
      // Once the key that closes a modal is done with, or else it would close the question too.
      if (isUnsaved()) setTimeout(() => setClosing({ isOfAll: false, answer: leaves => leaves && then() }));
      else then();
    },
    question: (
      <Modal opened={isAsking} onClose={stay} title="Leave without saving?">
        <Stack>
          <Text size="sm">Your unsaved changes will be lost.</Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={stay} data-autofocus>
              Stay
            </Button>
            <Button color="red" onClick={leave}>
              Leave
            </Button>
          </Group>
        </Stack>
      </Modal>
    ),
  };
}
