import { MongoClient, MongoServerError } from 'mongodb';

/** The only user of a store that `npm start` runs. */
const USER = 'calibron';
const ANSWER_TIMEOUT_MS = 10_000;
/** MongoDB's codes for a refused sign-in, and for a command that needs one. */
const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;

/** Address and password of a store. `open` is its address without user, `address` with user and password. */
export interface StoreAccess {
  open: string;
  address: string;
  password: string;
}

/** Adds user and password to an address. */
export function withUser(open: string, password: string): string {
  const url = new URL(open);
  url.username = USER;
  // The setter of `URL` leaves a percent sign as it is.
  url.password = encodeURIComponent(password);
  url.searchParams.set('authSource', 'admin');
  return url.href;
}

/**
 * Checks that the store accepts the user, and creates the user if the store has none. MongoDB lets a local client create the first
 * user without a sign-in; data of earlier versions have no users.
 * @throws Error if the store has a user with another password
 */
export async function ensureUser({ open, address, password }: StoreAccess): Promise<void> {
  if (await accepts(address)) return;
  try {
    await withClient(open, (client) =>
      client.db('admin').command({ createUser: USER, pwd: password, roles: ['root'] }),
    );
  } catch (thrown) {
    if (!hasCode(thrown, UNAUTHORIZED)) throw thrown;
    throw new Error(
      `the store has the user ${USER} with another password. Restore the file store-password of the data directory from a backup.`,
      { cause: thrown },
    );
  }
  if (!(await accepts(address))) throw new Error(`the store does not accept its user ${USER}`);
}

async function accepts(address: string): Promise<boolean> {
  try {
    await withClient(address, (client) => client.db('admin').command({ connectionStatus: 1 }));
    return true;
  } catch (thrown) {
    if (hasCode(thrown, AUTHENTICATION_FAILED)) return false;
    throw thrown;
  }
}

async function withClient(address: string, use: (client: MongoClient) => Promise<unknown>): Promise<void> {
  const client = new MongoClient(address, { serverSelectionTimeoutMS: ANSWER_TIMEOUT_MS });
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

function hasCode(thrown: unknown, code: number): boolean {
  return thrown instanceof MongoServerError && thrown.code === code;
}
