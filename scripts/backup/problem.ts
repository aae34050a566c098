/** A backup or restore that cannot be made, for a reason that an operator can mend. The message says how. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem';
}
