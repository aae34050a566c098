import { defineArea, type Kernel } from '../../kernel/area.ts';
import { auditIndexes, createAuditTrail } from './store.ts';

export type { AuditTrail } from './store.ts';

/** Who did what to whom. */
export const audit = defineArea({
  name: 'audit',
  indexes: [auditIndexes],
  create: ({ db, settings }: Kernel) => createAuditTrail(db, settings.AUDIT_DAYS),
});
