import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { bracketMatching } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorView, keymap, placeholder as placeholderText } from '@codemirror/view';
import type { ConditionCheck } from '@sluice/contract/dashboard-pipelines';
import { minimalSetup } from 'codemirror';
import { useEffect, useRef } from 'react';
import { celLanguage } from './cel-language.ts';
import { completeFields, completeMethods } from './completion.ts';
import { editorTheme } from './editor-theme.ts';
import type { KnownField } from './known-fields.ts';

/** An editor of CEL: completion as you type, and the character that is wrong underlined. */
export function CelEditor(props: {
  label: string;
  describedBy: string;
  value: string;
  placeholder: string;
  check: ConditionCheck | null;
  fields: readonly KnownField[];
  onChange(value: string): void;
}) {
  const { label, describedBy, value, placeholder, check } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // The editor lives on while its props change.
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (place.current === null) return;
    const editor = new EditorView({
      parent: place.current,
      doc: latest.current.value,
      extensions: [
        minimalSetup,
        editorTheme(),
        celLanguage,
        bracketMatching(),
        closeBrackets(),
        autocompletion({
          override: [completeFields(() => latest.current.fields), completeMethods],
          icons: false,
        }),
        keymap.of([...closeBracketsKeymap, ...completionKeymap]),
        placeholderText(placeholder),
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-describedby': describedBy,
        }),
        EditorView.updateListener.of(update => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [label, describedBy, placeholder]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(check, editor.state.doc.length)));
  }, [check]);

  return <div ref={place} />;
}

/** The rest of the word at the position, or the character before the end. */
function diagnosticsOf(check: ConditionCheck | null, length: number) {
  if (check === null || check.valid) return [];
  const from = Math.max(0, Math.min(check.position, length - 1));
  return [{ from, to: Math.min(length, from + 1), severity: 'error' as const, message: check.message }];
}
