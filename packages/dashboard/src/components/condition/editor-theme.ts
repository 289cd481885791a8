import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { nonce } from '../../lib/nonce.ts';

const look = EditorView.theme({
  '&': {
    fontSize: '0.82rem',
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-md)',
  },
  '&.cm-focused': { outline: 'none', borderColor: 'var(--mantine-primary-color-filled)' },
  '.cm-content': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    padding: '0.5rem 0.2rem',
    caretColor: 'var(--mantine-color-text)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-placeholder': { color: 'var(--mantine-color-dimmed)' },
  '.cm-gutters': {
    backgroundColor: 'var(--code-background)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--mantine-radius-sm)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: '#fff',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.75', marginLeft: '1em' },
});

/** The colours of `JsonText`, and one more for what is called. */
const colours = HighlightStyle.define([
  { tag: tags.string, color: 'light-dark(#0f6b4f, #7fd6b2)' },
  { tag: [tags.number, tags.atom, tags.bool, tags.null], color: 'light-dark(#9a4a00, #f0b072)' },
  { tag: tags.variableName, color: 'light-dark(#0b5f8a, #7cc7ee)' },
  { tag: tags.keyword, color: 'light-dark(#7a3aa0, #cfa5ee)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)' },
]);

/** What every editor shares: our colours in light and dark, and the word that lets its style sheets in. */
export const editorTheme = (): Extension => [
  look,
  syntaxHighlighting(colours),
  EditorView.cspNonce.of(nonce()),
  EditorView.lineWrapping,
];
