/** A rate is shared by the nodes that spend it: those that take events in, or those that deliver. */
export const rolesOfNodes = [`ALTER TABLE nodes ADD COLUMN roles TEXT NOT NULL DEFAULT ''`];
