/** The elements and attributes that our own mails are made of; nothing else of a mail is drawn. */
const ELEMENTS = new Set(['HTML', 'HEAD', 'BODY', 'DIV', 'P', 'H1', 'TABLE', 'TBODY', 'TR', 'TD', 'A']);
const ATTRIBUTES = new Set(['href', 'class']);

/**
 * A mail as a document for a frame that runs nothing and loads nothing. The dashboard's policy lets in no style that is
 * written at an element, so each becomes a rule in a sheet with the page's nonce; and nothing from elsewhere, so what
 * would load something is left out besides.
 */
export function mailDocument(html: string, nonce: string): string {
  // Already reading such a style would be refused, and reported. Quotes in a mail's text are entities, so this is none of it.
  const readable = html.replaceAll(' style="', ' data-style="');
  const mail = new DOMParser().parseFromString(readable, 'text/html');
  const rules: string[] = [];
  for (const element of [...mail.querySelectorAll('*')]) {
    if (!ELEMENTS.has(element.tagName)) {
      element.remove();
      continue;
    }
    const style = element.getAttribute('data-style');
    for (const { name } of [...element.attributes]) if (!ATTRIBUTES.has(name)) element.removeAttribute(name);
    if (style === null) continue;
    const name = `s${rules.length}`;
    rules.push(`.${name}{${style.replaceAll(/[<>{}@]|url\s*\(/gi, '')}}`);
    element.setAttribute('class', name);
  }
  const sheet = mail.createElement('style');
  sheet.setAttribute('nonce', nonce);
  sheet.textContent = rules.join('\n');
  // A frame of its own could be led elsewhere; a window of its own it may not open.
  const base = mail.createElement('base');
  base.setAttribute('target', '_blank');
  mail.head.append(base, sheet);
  return `<!doctype html>${mail.documentElement.outerHTML}`;
}
