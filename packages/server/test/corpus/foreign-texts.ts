import { createSeeded, type Seeded } from './seeded.ts';

/**
 * Texts without personal data, in many languages, full of digits: what shops, carriers, machines and newspapers write.
 * Made of templates, the same in every run.
 */
type Template = (s: Seeded) => string;

const two = (n: number) => String(n).padStart(2, '0');
const year = (s: Seeded) => s.between(1990, 2029);
const month = (s: Seeded) => two(s.between(1, 12));
const day = (s: Seeded) => two(s.between(1, 28));
const hour = (s: Seeded) => two(s.between(0, 23));
const minute = (s: Seeded) => two(s.between(0, 59));
const iso = (s: Seeded) => `${year(s)}-${month(s)}-${day(s)}`;
const time = (s: Seeded) => `${hour(s)}:${minute(s)}:${minute(s)}`;
const cents = (s: Seeded) => s.digits(2);
const uuid = (s: Seeded) => `${s.hex(8)}-${s.hex(4)}-4${s.hex(3)}-a${s.hex(3)}-${s.hex(12)}`;

const dates: readonly Template[] = [
  s => `Am ${day(s)}.${month(s)}.${year(s)} um ${hour(s)}.${minute(s)} Uhr`,
  s => `Le ${day(s)}/${month(s)}/${year(s)} à ${hour(s)}h${minute(s)}`,
  s => `El ${day(s)}-${month(s)}-${year(s)}, ${hour(s)}:${minute(s)} h`,
  s => `${year(s)}年${month(s)}月${day(s)}日 ${hour(s)}:${minute(s)}`,
  s => `${day(s)} ${month(s)} ${year(s)}`,
  s => `${year(s)} ${month(s)} ${day(s)} ${hour(s)} ${minute(s)}`,
  s => `${iso(s)}T${time(s)}.${s.digits(3)}Z`,
  s => `${iso(s)} ${time(s)} +0${s.between(0, 9)}00`,
  s => `${year(s)}${month(s)}${day(s)}`,
  s => `${year(s)}${month(s)}${day(s)}${hour(s)}${minute(s)}${minute(s)}`,
  s => `${day(s)}.${month(s)}.${two(s.between(0, 29))} - ${day(s)}.${month(s)}.${two(s.between(0, 29))}`,
  s => `${iso(s)}/${iso(s)}`,
  s => `с ${day(s)}.${month(s)}.${year(s)} по ${day(s)}.${month(s)}.${year(s)}`,
  s => `${month(s)}/${day(s)}/${year(s)} ${s.between(1, 12)}:${minute(s)} PM`,
  s => `Öffnungszeiten: Mo-Fr 09.00-12.30, 14.00-18.${minute(s)}`,
  s => `Abierto de 10:00 a 20:00, desde ${year(s)}`,
];

const orders: readonly Template[] = [
  s => `Bestellung ${s.number(9)} ist unterwegs`,
  s => `Bestellnr. ${s.number(10)}`,
  s => `Ihre Rechnung Nr. ${s.number(8)} vom ${iso(s)}`,
  s => `Kundennummer: ${s.number(7)}, Auftrag ${s.number(11)}`,
  s => `Commande n° ${s.number(9)} expédiée`,
  s => `Votre facture ${s.number(10)} est disponible`,
  s => `Pedido ${s.number(9)} confirmado`,
  s => `Pedido nº ${s.number(10)}, factura ${s.number(8)}`,
  s => `Ordine ${s.number(10)} in consegna`,
  s => `Zamówienie ${s.number(9)} zostało wysłane`,
  s => `Заказ ${s.number(10)} оплачен`,
  s => `Накладная № ${s.number(10)}`,
  s => `Sipariş ${s.number(10)} hazırlanıyor`,
  s => `Đơn hàng ${s.number(9)} đã giao`,
  s => `订单号 ${s.number(11)} 已发货`,
  s => `注文番号：${s.number(10)}`,
  s => `주문번호 ${s.number(10)}`,
  s => `Pesanan ${s.number(10)} dikirim`,
  s => `رقم الطلب ${s.number(9)}`,
  s => `ऑर्डर ${s.number(10)} भेजा गया`,
  s => `Order ${s.number(10)} has shipped`,
  s => `order_id=${s.number(10)}`,
  s => `{"order_id":"${s.number(10)}","total":"${s.number(3)}.${cents(s)}"}`,
  s => `INV-${year(s)}-${s.digits(6)}`,
  s => `PO ${s.number(4)}-${s.digits(4)}-${s.digits(2)}`,
  s => `Ref. ${s.number(3)} ${s.digits(3)} ${s.digits(4)}`,
  s => `Case #${s.number(10)} was closed`,
  s => `Ticket ${s.number(8)} assigned`,
  s => `Objednávka ${s.number(9)}`,
  s => `Tilaus ${s.number(8)} on maksettu`,
];

const parcels: readonly Template[] = [
  s => `Tracking ${s.number(4)} ${s.digits(4)} ${s.digits(4)} ${s.digits(4)} ${s.digits(4)} ${s.digits(2)}`,
  s => `1Z${s.letters(3)}${s.digits(12)}`,
  s => `Sendungsnummer 0034${s.digits(16)}`,
  s => `Colis ${s.letters(2)}${s.digits(9)}FR`,
  s => `Suivi : ${s.number(13)}`,
  s => `运单号 SF${s.digits(12)}`,
  s => `EAN ${s.number(13)}, Charge ${s.number(6)}-${s.digits(2)}`,
  s => `ISBN 978-${s.between(0, 9)}-${s.digits(2)}-${s.digits(6)}-${s.between(0, 9)}`,
  s => `SKU ${s.number(3)}-${s.digits(4)}-${s.letters(2)}`,
  s => `Serial ${s.number(12)}`,
  s => `Lot ${s.number(6)} exp ${iso(s)}`,
];

const machines: readonly Template[] = [
  s => `${iso(s)} ${time(s)},${s.digits(3)} INFO [worker-${s.between(0, 9)}] took ${s.number(4)} ms`,
  s => `time=${s.number(10)} pid=${s.number(5)} bytes=${s.number(8)}`,
  s => `request_id=${s.number(12)} status=200`,
  s => `17${s.digits(8)}`,
  s => `17${s.digits(11)}`,
  s => uuid(s),
  s => `sha256:${s.hex(64)}`,
  s => `commit ${s.hex(40)}`,
  s => `v${s.between(1, 20)}.${s.between(0, 99)}.${s.between(0, 9999)}`,
  s => `Version ${s.between(1, 20)}.${s.between(0, 9)}.${s.number(5)}.${s.number(4)}`,
  s => `Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/${s.number(3)}.0.${s.number(4)}.${s.number(3)}`,
  s => `0x${s.hex(12)}`,
  s => `offset ${s.number(9)} of partition ${s.between(0, 99)}`,
  s => `block ${s.number(8)} mined`,
  s => `GET /items/${s.number(10)}/images/${s.number(3)}.png`,
  s => `https://example.com/p/${s.number(9)}?v=${s.number(10)}`,
  s => `img_${year(s)}${month(s)}${day(s)}_${hour(s)}${minute(s)}${minute(s)}.jpg`,
  s => `session ${s.hex(16)} expires in ${s.number(6)} s`,
  s => `MAC 00:1a:${s.hex(2)}:${s.hex(2)}:${s.hex(2)}:${s.hex(2)}`,
  s => `{"ts":${s.number(10)},"seq":${s.number(9)}}`,
  s => `trace ${s.hex(32)} span ${s.hex(16)}`,
];

const money: readonly Template[] = [
  s => `${s.number(3)} ${s.digits(3)},${cents(s)} €`,
  s => `${s.number(1)}.${s.digits(3)}.${s.digits(3)},${cents(s)} EUR`,
  s => `$${s.number(3)},${s.digits(3)}.${cents(s)}`,
  s => `${s.number(3)} ${s.digits(3)} ${s.digits(3)} руб.`,
  s => `${s.number(3)} ${s.digits(3)} ${s.digits(3)} zł`,
  s => `Rp ${s.number(3)}.${s.digits(3)}.${s.digits(3)}`,
  s => `₹${s.number(2)},${s.digits(2)},${s.digits(3)}`,
  s => `¥${s.number(9)}`,
  s => `${s.number(9)} VND`,
  s => `Total: ${s.number(8)} COP`,
  s => `Umsatz ${s.number(3)}.${s.digits(3)}.${s.digits(3)} Euro`,
  s => `Population : ${s.number(2)} ${s.digits(3)} ${s.digits(3)} habitants`,
  s => `CHF ${s.number(2)}'${s.digits(3)}.${cents(s)}`,
  s => `BTC 0.${s.digits(8)}`,
  s => `+${s.number(2)}.${s.digits(2)} % seit ${year(s)}`,
];

const places: readonly Template[] = [
  s => `${s.between(-89, 89)}.${s.digits(6)}, ${s.between(-179, 179)}.${s.digits(6)}`,
  s => `POINT(${s.between(0, 179)}.${s.digits(5)} ${s.between(0, 89)}.${s.digits(5)})`,
  s => `48°${minute(s)}'${minute(s)}"N 2°${minute(s)}'${minute(s)}"E`,
  s => `Hauptstraße ${s.between(1, 200)}, ${s.number(5)} Berlin`,
  s => `${s.between(1, 200)} rue de Rivoli, 750${two(s.between(1, 20))} Paris`,
  s => `Calle Mayor ${s.between(1, 99)}, 280${two(s.between(1, 55))} Madrid`,
  s => `${s.number(4)} Main St, Springfield, IL ${s.number(5)}-${s.digits(4)}`,
  s =>
    `〒${s.digits(3)}-${s.digits(4)} 東京都千代田区${s.between(1, 9)}-${s.between(1, 9)}-${s.between(1, 9)}`,
  s => `ул. Ленина, д. ${s.between(1, 200)}, кв. ${s.between(1, 99)}, ${s.number(6)} Москва`,
  s => `Rua Augusta, ${s.number(4)}, CEP ${s.digits(5)}-${s.digits(3)}`,
  s => `MG Road ${s.between(1, 99)}, Bengaluru ${s.number(6)}`,
  s => `Plot ${s.number(4)}/${s.number(3)}, sheet ${s.number(2)}`,
];

const measures: readonly Template[] = [
  s => `${s.number(3)} x ${s.number(3)} x ${s.number(3)} mm, ${s.number(2)},${s.number(1)} kg`,
  s => `${s.number(4)}x${s.number(4)}@60`,
  s => `Temperatur ${s.number(2)}.${s.number(1)} °C, Druck ${s.number(4)}.${s.number(1)} hPa`,
  s => `Zählerstand ${s.number(6)},${s.number(1)} kWh`,
  s => `${s.number(7)} rows in ${s.number(2)}.${s.digits(3)} s`,
  s => `${s.number(9)} bytes`,
  s => `Kilométrage : ${s.number(6)} km`,
  s => `3.14159${s.digits(10)}`,
  s => `${s.number(1)}.${s.digits(4)}e-${s.number(2)}`,
  s => `Maßstab 1:${s.number(5)}`,
];

const sports: readonly Template[] = [
  s =>
    `${s.between(0, 6)}-${s.between(0, 6)}, ${s.between(0, 6)}-${s.between(0, 6)}, 7-6(${s.between(0, 9)})`,
  s => `21-${two(s.between(10, 19))} 19-21 21-${two(s.between(10, 19))}`,
  s => `25:${two(s.between(10, 23))}, 23:25, 25:${two(s.between(10, 23))}, 15:${two(s.between(10, 13))}`,
  s => `Bayern - Dortmund ${s.between(0, 5)}:${s.between(0, 5)} (${s.between(0, 2)}:${s.between(0, 2)})`,
  s => `Lakers ${s.number(3)}, Celtics ${s.number(3)}`,
  s => `Marathon: 2:${minute(s)}:${minute(s)}`,
  s =>
    `Lotto: ${[1, 2, 3, 4, 5, 6].map(() => two(s.between(1, 49))).join(' ')} Zusatzzahl ${s.between(0, 9)}`,
  s => `Saison ${year(s)}/${two(s.between(0, 29))}, Platz ${s.between(1, 18)}`,
  s => `${s.number(3)} ${s.number(3)} ${s.number(3)} ${s.number(3)}`,
];

const registers: readonly Template[] = [
  s => `USt-IdNr. DE${s.number(9)}`,
  s => `HRB ${s.number(6)} B`,
  s => `SIRET ${s.number(3)} ${s.digits(3)} ${s.digits(3)} ${s.digits(5)}`,
  s => `NIP ${s.number(3)}-${s.digits(3)}-${s.digits(2)}-${s.digits(2)}`,
  s => `ИНН ${s.number(10)}, КПП ${s.number(9)}`,
  s => `CNPJ ${s.digits(2)}.${s.digits(3)}.${s.digits(3)}/0001-${s.digits(2)}`,
  s => `GSTIN ${s.digits(2)}${s.letters(5)}${s.digits(4)}${s.letters(1)}1Z${s.between(0, 9)}`,
  s => `ABN ${s.number(2)} ${s.digits(3)} ${s.digits(3)} ${s.digits(3)}`,
  s => `Patent EP ${s.number(7)} B1`,
  s => `Az. ${s.number(2)} O ${s.number(4)}/${two(s.between(0, 29))}`,
  s => `Flight LH${s.number(4)}, PNR ${s.letters(6)}, ticket 220-${s.number(10)}`,
  s => `IMEI ${s.number(2)}-${s.digits(6)}-${s.digits(6)}-${s.digits(1)}`,
  s => `BLZ ${s.number(3)} ${s.digits(3)} ${s.digits(2)}, Konto ${s.number(7)}`,
];

const kinds = [dates, orders, parcels, machines, money, places, measures, sports, registers];

/** As many of each kind, and of each template in turn. */
export function foreignTexts(count: number, seed = 1): string[] {
  const seeded = createSeeded(seed);
  return Array.from({ length: count }, (_, i) => {
    const kind = kinds[i % kinds.length] as readonly Template[];
    return (kind[Math.floor(i / kinds.length) % kind.length] as Template)(seeded);
  });
}
