import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of the audit trail. */
export const auditSettings = {
  AUDIT_DAYS: count.default(365).describe('Days for which entries of the audit trail are kept.'),
};
export type AuditSettings = SettingsOf<typeof auditSettings>;
