import { storageContract, storageParts } from './suite.ts';
import { openTwoNodes } from './two-nodes.ts';

storageContract('PostgreSQL', openTwoNodes, storageParts.entities);
