/** What is open, dead, cancelled or has failed is little beside what was delivered, and is what people look for. */
export const findingDeliveries = [
  // By a column that changes once only, so that claims and retries leave the index alone.
  `CREATE INDEX deliveries_open ON deliveries (org_id, id) WHERE finished_at IS NULL`,
  `CREATE INDEX deliveries_dead_of_destination ON deliveries (org_id, destination_id, id) WHERE state = 'dead'`,
  // Holds all that the dead are counted by, so that ten thousand of them are counted without reading one.
  `CREATE INDEX deliveries_dead_why ON deliveries (org_id, id, destination_id, code) WHERE state = 'dead'`,
  `CREATE INDEX deliveries_cancelled ON deliveries (org_id, id) WHERE state = 'cancelled'`,
  `CREATE INDEX deliveries_by_code ON deliveries (org_id, code, id) WHERE code IS NOT NULL`,
];
