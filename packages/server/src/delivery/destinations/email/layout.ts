import type { Card } from '../../rendering/card.ts';
import { LINK_WORDS } from '../../rendering/link.ts';

/** The mail that goes out where nobody wrote one: the same facts as plain text and as a quiet table. */
export function textBody(card: Card, link: string | null): string {
  const width = Math.max(0, ...card.fields.map(({ name }) => name.length));
  const lines = card.fields.map(({ name, value }) => `${`${name}:`.padEnd(width + 2)}${value}`);
  return [
    card.title,
    '',
    ...lines,
    ...(card.hasMore ? ['…and more in the payload'] : []),
    '',
    ...(link === null ? [] : [`${LINK_WORDS}: ${link}`, '']),
    card.footer,
    '',
  ].join('\n');
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',sans-serif";

export function htmlBody(card: Card, link: string | null): string {
  const rows = card.fields.map(
    ({ name, value }) =>
      `<tr><td style="padding:4px 16px 4px 0;color:#667085;vertical-align:top;white-space:nowrap">${escapeHtml(name)}</td>` +
      `<td style="padding:4px 0;color:#101828;word-break:break-word">${escapeHtml(value)}</td></tr>`,
  );
  const more = card.hasMore ? '<p style="color:#667085;font-size:13px">…and more in the payload</p>' : '';
  return [
    `<!doctype html><html><body style="margin:0;padding:24px;background:#f9fafb;${FONT};font-size:14px">`,
    '<div style="max-width:600px;margin:0 auto;padding:24px;background:#fff;border:1px solid #eaecf0;border-radius:8px">',
    `<h1 style="margin:0 0 16px;font-size:18px;color:#101828">${escapeHtml(card.title)}</h1>`,
    `<table style="border-collapse:collapse;font-size:14px">${rows.join('')}</table>`,
    more,
    ...(link === null ? [] : [button(link)]),
    `<p style="margin:16px 0 0;font-size:12px;color:#98a2b3">${escapeHtml(card.footer)}</p>`,
    '</div></body></html>',
  ].join('\n');
}

const button = (link: string): string =>
  `<p style="margin:20px 0 0"><a href="${escapeHtml(link)}" style="display:inline-block;padding:8px 14px;background:#1c7ed6;` +
  `color:#fff;border-radius:6px;text-decoration:none;font-weight:600">${LINK_WORDS}</a></p>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '');
