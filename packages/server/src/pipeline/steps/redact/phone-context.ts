/**
 * What stands around digits: words that say that they are a telephone number, or a number of another sort, in the
 * languages that business is done in. The nearest word counts.
 */
export type Context = 'phone' | 'other' | 'none';

const PHONE_WORDS = [
  'phone|telef|t[ée]l[ée]?ph|\\btel\\b|\\bt[ée]l\\b|\\btlf|\\bfon\\b|\\bfono|mobil|m[óo]vil|mov\\.|cell|celular|handy|portable',
  'gsm|\\bcep tel|\\bfax|\\bsms\\b|whats|viber|signal|wechat|\\bcall|\\bdial|\\bring\\b|\\btext me|reach me|hotline|contact',
  'ruf|appel|llam|chiam|bel(?:len)?\\b|zadzwo|ring\\b|\\bara(?:yın)?\\b|liga[rm]?\\b|kontak|hubungi|nomor hp|\\bhp\\b|simu',
  'тел|моб|звон|факс|電話|电话|手机|手機|携帯|전화|휴대|هاتف|جوال|موبايل|تلفن|همراه|फ़?ोन|मोबाइल|কল|ফোন|โทร|มือถือ|điện thoại|gọi|sđt',
];

const OTHER_WORDS = [
  'order|invoice|ticket|\\bref\\b|refer|\\bcase\\b|\\bsku|\\bid\\b|item|accou?n?t|track|customer|artic|article|serial|version|parcel',
  'shipment|waybill|batch|\\blot\\b|\\bpo\\b|policy|claim|contract|receipt|transact|payment|barcode|\\bean\\b|gtin|upc|isbn|\\bissn|imei',
  'iccid|\\bvin\\b|mmsi|passport|licen[cs]e|licence|member|patient|student|employee|part\\b|model|build|commit|revision|session',
  'request|trace|span\\b|offset|timestamp|epoch|unix|nonce|seed|hash|token|checksum|\\bpid\\b|\\buid\\b|process|thread|block|height',
  'score|result|lot(?:to|ery)|\\bloto|tirage|sorteo|total|sum\\b|amount|price|revenue|sales|umsatz|chiffre|ventas|fatturato|оборот|population|bytes|rows|count|\\btax\\b|\\bvat\\b|\\bbic\\b|swift|routing|\\bzip\\b|postal|coordinates',
  'bestell|rechnung|auftrag|kunden|artikel|lieferschein|sendung|vorgang|akten|beleg|vertrag|konto|steuer|kennung|\\bnr\\b|lager|posten',
  'commande|facture|colis|suivi|dossier|r[ée]f[ée]r|client|contrat|bordereau|siret|siren|livraison|\\bn[o°º]',
  'pedido|factura|albar|expediente|env[íi]o|seguimiento|gu[íi]a|cliente|contrato|c[óo]digo|cuenta|\\bcuit|\\bnif\\b|\\bdni\\b|\\brfc\\b',
  'encomenda|fatura|nota fiscal|protocolo|rastreio|\\bcpf\\b|\\bcnpj|boleto|conta\\b',
  'ordine|fattura|spedizione|codice|pratica|contratto|bolla|partita|conto\\b|iva\\b',
  'bestelling|factuur|klant|zending|ordre|faktura|beställ|kund|sändning|tilaus|lasku|zam[óo]wien|zleceni|paczk|umow|nip\\b|regon|pesel',
  'objedn|z[áa]silk|rendel|sz[áa]mla|csomag|comand|factur|colet|sipari[şs]|kargo|takip|m[üu][şs]teri|hesap|belge',
  'заказ|сч[её]т|накладн|артикул|\\bкод|договор|отправлен|посылк|клиент|инн\\b|кпп\\b|огрн|замовлен|рахунок|№',
  '订单|訂單|发票|單號|单号|编号|編號|运单|快递|合同|账号|商品|注文|請求|伝票|追跡|品番|型番|会員|顧客|주문|송장|운송|고객|청구|계약|번호',
  'طلب|فاتورة|شحنة|رقم|حساب|سفارش|فاکتور|مرسوله|کد|ऑर्डर|चालान|इनवॉइस|ग्राहक|খাতা|অর্ডার|চালান|ইনভয়েস',
  'đơn|hóa đơn|mã|vận đơn|hợp đồng|khách|pesanan|faktur|resi|pelanggan|kiriman|คำสั่งซื้อ|ใบ|พัสดุ|รหัส|agizo|ankara|oda\\b',
];

const lastOf = (words: readonly string[]) => new RegExp(`.*(?:${words.join('|')})`, 'isu');
const PHONE = lastOf(PHONE_WORDS);
const OTHER = lastOf(OTHER_WORDS);

/** So far back a word may stand, in the same clause and with no other digits in between. */
const REACH = 32;

/** What the words before say. */
export function contextBefore(text: string, start: number): Context {
  const before = text.slice(Math.max(0, start - REACH), start);
  const words = before.slice(before.search(/(?:[^\d\n,;!?]|[,;!?](?!\s))*$/));
  const phone = PHONE.exec(words)?.[0].length ?? 0;
  const other = OTHER.exec(words)?.[0].length ?? 0;
  if (phone === 0 && other === 0) return 'none';
  return phone >= other ? 'phone' : 'other';
}

/** Directly before: a sign of money, a fraction, a part of some longer number, code or address. */
const CURRENCIES =
  '€|\\$|£|¥|₹|₽|₺|₩|₫|zł|kr\\b|kč|ft\\b|lei\\b|руб|грн|тг\\b|tl\\b|元|円|원|万|億|đ\\b|rp\\b|rs\\b|' +
  '(?:eur|usd|gbp|chf|jpy|cny|inr|rub|try|pln|sek|nok|dkk|czk|huf|brl|mxn|ars|cop|idr|vnd|thb|krw|zar|ngn|kes|egp)\\b|' +
  '(?:euros?|dollars?|pesos?|reais|real|rupees?|rupiah|yen|yuan|won|dong|lira|francs?)\\b';
const MORE_BEFORE = new RegExp(
  `(?:[.,:;#№=/\\\\+*_~@%&<>-]|\\d[ \\t.,:/)-]|\\d\\s[-/x]\\s?|[=:]["']|(?<!\\p{L})(?:${CURRENCIES})\\s?)$`,
  'iu',
);

/** What another number ends with does not count. */
export const isInsideOfMore = (text: string, start: number, after: number): boolean =>
  MORE_BEFORE.test(text.slice(Math.max(after, start - 8), start));

const UNITS =
  `%|‰|°|${CURRENCIES}|` +
  '(?:ms|s|sec|min|h|hrs?|d|days?|ns|µs|us|[kmgt]i?b|bytes?|bits?|[kmg]?hz|[kmg]?wh?|[mkc]?m|[km]?g|t|lbs?|oz|px|pcs|stk|rows?|' +
  'items?|users?|views?|hits?|requests?|records?|lines?|files?|words?|points?|pts|votes?|people|einwohner|habitants|habitantes|шт|чел)\\b';
const MORE_AFTER = new RegExp(`^(?:[.,:/@-]\\w|[-/]\\d|\\s?[-/x×*]\\s?\\d|\\s?(?:${UNITS}))`, 'iu');

/** Directly after: the rest of a longer number, or what is counted. */
export const isFollowedByMore = (text: string, end: number): boolean =>
  MORE_AFTER.test(text.slice(end, end + 16));

/** Begins the text, a line, or an item of a list that is not one of numbers; or follows a word that names nothing. */
const BEGINS = new RegExp(
  '(?:^|\\n|(?<!\\d\\s?)[\\t,;|([{>"\'])\\s*$|(?:^|[\\s(])(?:' +
    'at|on|to|is|me|my|us|by|or|and|via|an|am|auf|bei|und|oder|unter|au|le|ou|et|el|al|en|y|o|il|di|e|na|no|do|em|op|of|i|' +
    'po|lub|pod|på|och|og|по|на|и|или|ve|veya|di|ke|dan|số|và|hoặc)\\s$',
  'iu',
);

/** Whether digits that nothing tells from any other number stand where a number of its own would. */
export const standsAlone = (text: string, start: number, end: number): boolean =>
  BEGINS.test(text.slice(Math.max(0, start - 8), start)) && !/^[,;|]\s?\d/.test(text.slice(end, end + 3));
