import { json } from '@codemirror/lang-json';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { editorTheme } from '../../components/condition/editor-theme.ts';

const marks = EditorView.theme({
  '&.cm-merge-b .cm-changedLine, .cm-changedLine, .cm-insertedLine': {
    backgroundColor: 'light-dark(#e3f6ec, #12301f)',
  },
  '.cm-deletedChunk': { backgroundColor: 'light-dark(#fdeaea, #351a1a)' },
  '.cm-changedText, .cm-insertedLine .cm-changedText': {
    background: 'light-dark(#b9e8cc, #1f5a38)',
  },
  '.cm-collapsedLines': {
    background: 'var(--code-background)',
    color: 'var(--mantine-color-dimmed)',
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: 'none' },
  '.cm-deletedChunk .cm-deletedText': { background: 'light-dark(#f6c4c4, #6b2a2a)' },
});

/** Two texts as one, with what was taken out and what came in marked. */
export default function VersionDiff({
  before,
  after,
  label,
}: {
  before: string;
  after: string;
  label: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const editor = new EditorView({
      parent: place.current,
      doc: after,
      extensions: [
        editorTheme(),
        marks,
        json(),
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          syntaxHighlightDeletions: false,
          collapseUnchanged: { margin: 4, minSize: 8 },
        }),
      ],
    });
    return () => editor.destroy();
  }, [before, after, label]);
  return <div ref={place} />;
}
