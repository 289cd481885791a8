import type { Json } from '../../packages/server/src/core/json/json.ts';

/** What the reference says of each function, method, macro and operator of conditions: a sentence, and examples. */
export interface CelEntry {
  readonly says: string;
  /** An expression over `sampleOrder`, and its value. A test evaluates each. */
  readonly examples: readonly (readonly [expression: string, value: Json])[];
}

/** The payload that the examples read. */
export const sampleOrder = {
  order: 1001,
  total: 1250.5,
  currency: 'EUR',
  note: '  Gift for Zoë ',
  placed_at: '2026-01-31T23:30:00Z',
  items: [
    { sku: 'A-1', qty: 3, price: 400 },
    { sku: 'B-7', qty: 1, price: 50.5 },
  ],
  customer: { id: 'c-1', mail: 'zoe@example.com' },
};

export const functionEntries: Readonly<Record<string, CelEntry>> = {
  size: {
    says: 'The number of characters of a text, items of a list or fields of an object.',
    examples: [
      ['size(payload.items)', 2],
      ['size(payload.currency)', 3],
      ['size(payload.customer)', 2],
    ],
  },
  string: {
    says: 'The value as text.',
    examples: [
      ['string(payload.order)', '1001'],
      ['string(duration("90s"))', '90s'],
    ],
  },
  int: {
    says: 'An integer: of a text, of a number cut off at the point, of a time as seconds since 1970.',
    examples: [
      ['int("42")', 42],
      ['int(payload.total)', 1250],
      ['int(timestamp("1970-01-01T00:01:00Z"))', 60],
    ],
  },
  double: { says: 'A number that may have a fraction.', examples: [['double("2.5")', 2.5]] },
  bool: { says: 'True or false, of a text that says so.', examples: [['bool("true")', true]] },
  timestamp: {
    says: 'A time, of RFC 3339 text or of seconds since 1970.',
    examples: [
      ['timestamp(payload.placed_at) > timestamp("2026-01-01T00:00:00Z")', true],
      ['timestamp(0)', '1970-01-01T00:00:00.000Z'],
    ],
  },
  duration: {
    says: 'A length of time, in `h`, `m`, `s`, `ms`, `us` and `ns`.',
    examples: [
      ['event.received_at - event.timestamp < duration("1h30m")', true],
      ['timestamp(payload.placed_at) + duration("30m")', '2026-02-01T00:00:00.000Z'],
    ],
  },
  dyn: {
    says: 'The value itself, of which nothing is taken to be known when the expression is checked.',
    examples: [['dyn(event.type) == 5', false]],
  },
};

const timed = (says: string, ...examples: CelEntry['examples']): CelEntry => ({ says, examples });

export const methodEntries: Readonly<Record<string, CelEntry>> = {
  size: { says: 'As `size(value)`.', examples: [['payload.items.size()', 2]] },
  contains: {
    says: 'Whether the text holds the other.',
    examples: [['payload.note.contains("Gift")', true]],
  },
  startsWith: {
    says: 'Whether the text begins with the other.',
    examples: [['event.type.startsWith("order.")', true]],
  },
  endsWith: {
    says: 'Whether the text ends with the other.',
    examples: [['payload.customer.mail.endsWith("@example.com")', true]],
  },
  lowerAscii: {
    says: 'The text with A to Z in lower case.',
    examples: [['payload.currency.lowerAscii()', 'eur']],
  },
  upperAscii: { says: 'The text with a to z in upper case.', examples: [['"abc".upperAscii()', 'ABC']] },
  trim: {
    says: 'The text without white space around it.',
    examples: [['payload.note.trim()', 'Gift for Zoë']],
  },
  reverse: { says: 'The text backwards.', examples: [['"abc".reverse()', 'cba']] },
  indexOf: {
    says: 'Where the other text first stands, from 0; -1 where it does not. A second argument says where to begin.',
    examples: [
      ['payload.customer.mail.indexOf("@")', 3],
      ['"banana".indexOf("a", 2)', 3],
    ],
  },
  lastIndexOf: {
    says: 'Where the other text last stands, from 0; -1 where it does not. A second argument says where to begin, backwards.',
    examples: [
      ['"banana".lastIndexOf("a")', 5],
      ['"banana".lastIndexOf("a", 4)', 3],
    ],
  },
  charAt: { says: 'The character at a place, from 0.', examples: [['payload.currency.charAt(0)', 'E']] },
  substring: {
    says: 'The text from one place on, up to another where one is given.',
    examples: [
      ['payload.customer.mail.substring(4)', 'example.com'],
      ['payload.currency.substring(0, 2)', 'EU'],
    ],
  },
  split: {
    says: 'The parts between a separator; at most so many where a number is given.',
    examples: [
      ['event.type.split(".")', ['order', 'created']],
      ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ],
  },
  replace: {
    says: 'The text with one part in place of another: everywhere, or so many times.',
    examples: [
      ['payload.items[0].sku.replace("-", "")', 'A1'],
      ['"aaa".replace("a", "b", 2)', 'bba'],
    ],
  },
  join: {
    says: 'One text of a list of texts, with a separator between them where one is given.',
    examples: [
      ['payload.items.map(i, i.sku).join(", ")', 'A-1, B-7'],
      ['["a", "b"].join()', 'ab'],
    ],
  },
  getFullYear: timed('The year.', ['event.timestamp.getFullYear()', 2026]),
  getMonth: timed('The month, from 0 for January.', ['timestamp(payload.placed_at).getMonth()', 0]),
  getDate: timed('The day of the month, from 1.', ['timestamp(payload.placed_at).getDate()', 31]),
  getDayOfMonth: timed('The day of the month, from 0.', ['timestamp(payload.placed_at).getDayOfMonth()', 30]),
  getDayOfWeek: timed('The day of the week, from 0 for Sunday.', [
    'timestamp(payload.placed_at).getDayOfWeek()',
    6,
  ]),
  getDayOfYear: timed('The day of the year, from 0.', ['timestamp(payload.placed_at).getDayOfYear()', 30]),
  getHours: timed(
    'The hour, in UTC or in the zone that is given; of a duration all its hours.',
    ['timestamp(payload.placed_at).getHours()', 23],
    ['timestamp(payload.placed_at).getHours("Europe/Berlin")', 0],
    ['duration("90m").getHours()', 1],
  ),
  getMinutes: timed(
    'The minute; of a duration all its minutes.',
    ['timestamp(payload.placed_at).getMinutes()', 30],
    ['duration("90m").getMinutes()', 90],
  ),
  getSeconds: timed(
    'The second; of a duration all its seconds.',
    ['timestamp(payload.placed_at).getSeconds()', 0],
    ['duration("1m30s").getSeconds()', 90],
  ),
  getMilliseconds: timed(
    'The milliseconds within the second.',
    ['timestamp("2026-01-31T12:00:00.250Z").getMilliseconds()', 250],
    ['duration("1500ms").getMilliseconds()', 500],
  ),
};

export const macroEntries: Readonly<Record<string, CelEntry>> = {
  exists: {
    says: 'Whether the condition holds for one item at least; of an object, for one of its keys.',
    examples: [
      ['payload.items.exists(i, i.qty > 2)', true],
      ['payload.customer.exists(key, key == "mail")', true],
    ],
  },
  all: {
    says: 'Whether the condition holds for every item.',
    examples: [['payload.items.all(i, i.price < 100)', false]],
  },
  exists_one: {
    says: 'Whether the condition holds for exactly one item.',
    examples: [['payload.items.exists_one(i, i.sku == "B-7")', true]],
  },
  filter: {
    says: 'The items for which the condition holds.',
    examples: [['payload.items.filter(i, i.qty > 2).size()', 1]],
  },
  map: {
    says: 'A list of what the expression makes of each item; with three arguments, of those that pass the condition in the middle.',
    examples: [
      ['payload.items.map(i, i.sku)', ['A-1', 'B-7']],
      ['payload.items.map(i, i.price > 100, i.sku)', ['A-1']],
    ],
  },
  has: {
    says: 'Whether the field is there.',
    examples: [
      ['has(payload.customer.mail)', true],
      ['has(payload.customer.phone)', false],
    ],
  },
  re2: {
    says: 'Whether the RE2 pattern matches somewhere in the text. The pattern is written out, and takes linear time.',
    examples: [['re2(payload.customer.mail, "@example\\\\.(com|org)$")', true]],
  },
  'cel.bind': {
    says: 'Gives a value a name within the expression that follows.',
    examples: [['cel.bind(mail, payload.customer.mail, mail.contains("@") && mail.size() < 100)', true]],
  },
};

export const operatorEntries: Readonly<Record<string, CelEntry>> = {
  '==': { says: 'Equal. Numbers are one kind: `1 == 1.0`.', examples: [['payload.currency == "EUR"', true]] },
  '!=': { says: 'Not equal.', examples: [['payload.currency != "USD"', true]] },
  '<': { says: 'Less.', examples: [['payload.items[1].qty < 3', true]] },
  '<=': { says: 'Less or equal.', examples: [['payload.items[0].qty <= 3', true]] },
  '>': { says: 'Greater.', examples: [['payload.total > 1000', true]] },
  '>=': {
    says: 'Greater or equal; of texts by code point, of times later.',
    examples: [['"b" >= "a"', true]],
  },
  in: {
    says: 'Whether a list holds the value, or an object the key.',
    examples: [
      ['payload.currency in ["EUR", "CHF"]', true],
      ['"mail" in payload.customer', true],
    ],
  },
  '+': {
    says: 'The sum; joins texts and lists; moves a time by a duration.',
    examples: [
      ['payload.order + 1', 1002],
      ['"No. " + string(payload.order)', 'No. 1001'],
    ],
  },
  '-': { says: 'The difference; of two times a duration.', examples: [['payload.total - 0.5', 1250]] },
  '*': { says: 'The product.', examples: [['payload.items[0].qty * payload.items[0].price', 1200]] },
  '/': {
    says: 'The quotient; of two integers that are written out, without its fraction.',
    examples: [['5 / 2', 2]],
  },
  '%': { says: 'The remainder.', examples: [['payload.order % 10', 1]] },
  '[]': {
    says: 'An item of a list, from 0, or a field of an object.',
    examples: [['payload.items[0]["sku"]', 'A-1']],
  },
  '&&': { says: 'Both.', examples: [['payload.total > 1000 && payload.currency == "EUR"', true]] },
  '||': { says: 'Either, or both.', examples: [['payload.total > 5000 || payload.items.size() > 1', true]] },
  '!': { says: 'Not.', examples: [['!has(payload.cancelled_at)', true]] },
  '?:': { says: 'One of two values.', examples: [['payload.total > 1000 ? "large" : "small"', 'large']] },
};
