/** A backup or restore that cannot be made, for a reason that an operator can fix. The message explains how. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem';
}
