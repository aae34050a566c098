import { type UpdateManifest, updateManifest } from '../../shared/domain/system-updates/model.ts';
import { byVersion, isStableVersion, MAIN } from '../../shared/domain/system-updates/rules.ts';
import { type Git, GitFailed } from './git.ts';

const REMOTE = 'origin';
const REMOTE_MAIN = `refs/remotes/${REMOTE}/${MAIN}`;
/** Copies of the remote's tags. Local tags do not count as releases. */
export const REMOTE_TAGS = 'refs/calibron/tags';
const MANIFEST = 'update-manifest.json';

/**
 * The versions that the remote of a working tree has.
 * @param signers file of allowed signers; if set, only versions signed by one of them count
 */
export function createRemoteVersions({ git, ifAny }: Git, signers: string | null) {
  /** Fetches main and the tags of the remote. @returns why it did not answer; null on success */
  async function fetch(patience: number): Promise<string | null> {
    const refs = [`+refs/heads/${MAIN}:${REMOTE_MAIN}`, `+refs/tags/v*:${REMOTE_TAGS}/v*`];
    let problem: string | null = null;
    try {
      await git(
        ['fetch', '--quiet', '--prune', '--no-tags', '--no-recurse-submodules', REMOTE, ...refs],
        patience,
      );
    } catch (thrown) {
      if (!(thrown instanceof GitFailed)) throw thrown;
      problem = `The remote ${REMOTE} of the working tree cannot be asked for new versions.`;
    }
    return problem;
  }

  async function manifestOf(commit: string): Promise<UpdateManifest | null> {
    if ((await git(['ls-tree', '--name-only', commit, '--', MANIFEST])) === '') return null;
    try {
      const read = updateManifest.safeParse(JSON.parse(await git(['show', `${commit}:${MANIFEST}`])));
      return read.success ? read.data : null;
    } catch (thrown) {
      if (thrown instanceof GitFailed || thrown instanceof SyntaxError) return null;
      throw thrown;
    }
  }

  /**
   * Whether a tag is signed by an allowed signer, if signatures are required. The signature covers the name within the tag,
   * so the tag of an older version cannot be passed off as another version. Only SSH signatures count, because other
   * signature programs use their own keys.
   */
  async function isTrusted({ version, object, name }: { version: string; object: string; name?: string }) {
    if (signers === null) return true;
    if (name !== version) return false;
    const trust = [
      `gpg.ssh.allowedSignersFile=${signers}`,
      'gpg.openpgp.program=false',
      'gpg.x509.program=false',
    ];
    try {
      await git([...trust.flatMap((each) => ['-c', each]), 'verify-tag', object]);
      return true;
    } catch (thrown) {
      if (thrown instanceof GitFailed) return false;
      throw thrown;
    }
  }

  /** Stable versions on the remote's main that contain a commit (including the version at that commit itself). */
  async function versionsFrom(commit: string): Promise<{ version: string; commit: string }[]> {
    // If main is unknown, there are no known versions.
    if ((await ifAny(['rev-parse', '--verify', '--quiet', REMOTE_MAIN])) === null) return [];
    const listed = await git([
      'for-each-ref',
      '--format=%(refname:strip=3) %(objectname) %(*objectname) %(tag)',
      `--merged=${REMOTE_MAIN}`,
      `--contains=${commit}`,
      REMOTE_TAGS,
    ]);
    const versions = listed
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([version = '', object = '', peeled, name]) =>
        isStableVersion(version) ? [{ version, object, name, commit: peeled || object }] : [],
      );
    const signed = await Promise.all(versions.map(isTrusted));
    return versions
      .filter((_, position) => signed[position])
      .map((each) => ({ version: each.version, commit: each.commit }))
      .sort(byVersion);
  }

  return { fetch, manifestOf, versionsFrom };
}
