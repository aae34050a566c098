import { usernamePattern } from '../../kernel/credentials.ts';
import { isError } from '../../kernel/errors.ts';
import { generatePassword, type Passwords, type UserStore } from '../accounts/index.ts';
import { type SystemRole, systemRole, type UserDocument } from '../accounts/model.ts';
import { trimmedOrNull } from '../accounts/rules.ts';
import { type ImportRow, readImportFile } from './import-file.ts';
import { type ImportAnswer, type ImportedRow, userChange } from './model.ts';
import { ADMINISTRATION, newUser } from './new-user.ts';

/** Number of passwords hashed at the same time; each occupies a thread for about 50 ms, which logins need too. */
const HASHES_AT_ONCE = 2;

interface ImportDependencies {
  users: UserStore;
  passwords: Pick<Passwords, 'hash'>;
}

/**
 * Creates an account with a temporary password for each row of a CSV file. The whole file is validated before anything is
 * created; then each row succeeds or fails on its own. Existing accounts are skipped, so that an import can be repeated. If the
 * store fails, the remaining rows are reported as failed, because the administrator must still receive the passwords of the
 * earlier rows.
 * @param onFailure called with the error of the store
 * @throws invalid_csv, too_large
 */
export async function importUsers(
  dependencies: ImportDependencies,
  file: Uint8Array,
  onFailure: (thrown: unknown) => void,
): Promise<ImportAnswer> {
  const { users } = dependencies;
  const rows = readImportFile(file);
  const there = new Map(
    (await users.taken(rows.map((row) => row.username))).map((user) => [user.username, user]),
  );
  const good = rows.filter((row) => problemOf(row) === null);
  const first = new Map([...good].reverse().map((row) => [row.username, row.row_number]));
  const results: ImportedRow[] = [];
  const waiting = rows.entries();
  let isBroken = false;
  const importNext = async () => {
    for (const [index, row] of waiting) {
      const refusal = refusalOf(row, there.get(row.username), first.get(row.username));
      try {
        results[index] = refusal ?? (isBroken ? notStored(row) : await create(dependencies, row));
      } catch (thrown) {
        isBroken = true;
        onFailure(thrown);
        results[index] = notStored(row);
      }
    }
  };
  await Promise.all(Array.from({ length: HASHES_AT_ONCE }, importNext));
  const count = (status: ImportedRow['status']) => results.filter((row) => row.status === status).length;
  return {
    results,
    created: count('created'),
    skipped: count('skipped'),
    failed: count('failed'),
    total: results.length,
  };
}

/** Result of a row. */
function outcome(row: ImportRow, status: ImportedRow['status'], message: string | null): ImportedRow {
  return {
    row_number: row.row_number,
    username: row.username,
    display_name: trimmedOrNull(row.display_name),
    organization: trimmedOrNull(row.organization),
    system_role: roleOf(row) ?? 'user',
    initial_password: null,
    status,
    message,
  };
}

const notStored = (row: ImportRow) =>
  outcome(row, 'failed', 'The account could not be stored. Import the file again.');

/** Why no account is created for a row; null if one is. */
function refusalOf(
  row: ImportRow,
  there: UserDocument | undefined,
  firstRow: number | undefined,
): ImportedRow | null {
  const problem = problemOf(row);
  if (problem) return outcome(row, 'failed', problem);
  if (there) {
    const skipped = outcome(row, 'skipped', 'This username is already registered; nothing was changed.');
    return { ...skipped, system_role: there.system_role };
  }
  if (firstRow !== row.row_number) return outcome(row, 'skipped', 'An earlier row has this username.');
  return null;
}

async function create({ users, passwords }: ImportDependencies, row: ImportRow): Promise<ImportedRow> {
  const password = generatePassword();
  const created = outcome(row, 'created', null);
  const { username, display_name, organization, system_role } = created;
  const hashed_password = await passwords.hash(ADMINISTRATION, password);
  const profile = { username, display_name, organization, system_role };
  try {
    await users.insert(newUser({ ...profile, must_change_password: true, hashed_password }));
  } catch (thrown) {
    if (!isError(thrown, 'already_exists')) throw thrown;
    return outcome(row, 'skipped', 'This username was registered at the same moment; nothing was changed.');
  }
  return { ...created, initial_password: password };
}

/** The problem of a row; null if it is valid. */
function problemOf(row: ImportRow): string | null {
  if (row.username === '') return 'The username is missing.';
  if (!usernamePattern.test(row.username)) {
    return 'The username must be 3 to 64 of a-z, 0-9, _, -, . and begin and end with a letter or digit.';
  }
  if (!roleOf(row)) return 'The system_role must be admin or user.';
  const texts = userChange.safeParse({ display_name: row.display_name, organization: row.organization });
  return texts.success ? null : 'The display_name and the organization have at most 100 characters.';
}

/** The role of a row: an ordinary user if it names none, undefined if the role is unknown. */
function roleOf(row: ImportRow): SystemRole | undefined {
  return systemRole.safeParse(row.system_role.toLowerCase() || 'user').data;
}
