/** Notes on versions of pipelines, the last error of a destination, and who sent what a source rejected. */
export const notesAndLastErrors = [
  `ALTER TABLE pipeline_versions ADD COLUMN note TEXT`,
  // Beside the breaker's own, which is gone once it closes.
  `ALTER TABLE destinations ADD COLUMN last_error TEXT`,
  `ALTER TABLE destinations ADD COLUMN last_error_at BIGINT`,
  // Empty, not null: the table has no key, and what is moved goes by the order of its rows.
  `ALTER TABLE rejections ADD COLUMN address TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE rejections ADD COLUMN headers TEXT NOT NULL DEFAULT ''`,
];
