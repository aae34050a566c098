import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { AuditSettings } from './settings.ts';
import { auditIndexes, createAuditTrail } from './store.ts';

export type { AuditTrail } from './store.ts';

/** Audit trail of user actions. */
export const audit = defineArea({
  name: 'audit',
  indexes: [auditIndexes],
  create: ({ db, settings }: Kernel<AuditSettings>) => createAuditTrail(db, settings.AUDIT_DAYS),
});
